/* The matched filter's choices in words: which algorithm does which filters, on tiles of what size.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel/matched/matched_job.h"

/* A caller's buffer, and where to go on in it; what does not fit is cut. */
struct words {
    char *at;
    size_t left;
};

__attribute__((format(printf, 2, 3))) static void words_add(struct words *words, const char *format,
                                                            ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(words->at, words->left, format, arguments);
    va_end(arguments);
    const size_t most = words->left > 0 ? words->left - 1 : 0;
    const size_t added = length < 0 ? 0 : (size_t)length < most ? (size_t)length : most;
    words->at += added;
    words->left -= added;
}

/* The first group has the largest filters. */
static void groups_words(const struct groups *groups, char *text, size_t size)
{
    struct words words = {text, size};
    int first = 0, second = 0;
    const struct algorithm *one = groups_algorithm(groups, 0, &first);
    const struct algorithm *two = groups_algorithm(groups, 1, &second);
    if (two)
        words_add(&words, "%s for the %d largest of %d filters, %s for the others", one->name,
                  first, first + second, two->name);
    else
        words_add(&words, "%s for %d filter%s", one->name, first, first == 1 ? "" : "s");
}

/* "3 x (direct for 30 filters) + (fft for 30 filters)": equal neighbours together. */
static void summands_add(struct words *words, const struct response *response)
{
    char now[120], next[120] = "";
    int equal = 1;
    groups_words(response_summand(response, 0), now, sizeof now);
    for (int i = 1; now[0]; i++) {
        const struct groups *groups = response_summand(response, i);
        next[0] = '\0';
        if (groups)
            groups_words(groups, next, sizeof next);
        if (strcmp(now, next) == 0) {
            equal++;
            continue;
        }
        if (equal > 1)
            words_add(words, "%d x ", equal);
        words_add(words, "(%s)%s", now, groups ? " + " : "");
        memcpy(now, next, sizeof now);
        equal = 1;
    }
}

void matched_method(const void *job, char *text, size_t size)
{
    const struct matched_job *matched = job;
    struct words words = {text, size};
    char alone[120];
    if (response_summand(matched->response, 1)) {
        summands_add(&words, matched->response);
    } else {
        groups_words(response_summand(matched->response, 0), alone, sizeof alone);
        words_add(&words, "%s", alone);
    }
    words_add(&words, ", in tiles of %d x %d", matched->tile_rows, matched->tile_columns);
}
