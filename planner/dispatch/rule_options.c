/* The options of a rule, which follow its name: "gss,least=10,rounding=down". */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/nearest.h"
#include "planner/dispatch/rule.h"

enum { PIECE_SIZE = 64, WORDS_SIZE = 128 };

static const struct rule_option *option_find(const struct rule *rule, const char *name,
                                             struct failure *failure)
{
    char hint[NEAREST_HINT_SIZE];
    struct nearest nearest = {.word = name};
    int known = 0;
    for (; known < RULE_OPTIONS_MOST && rule->options[known].name; known++) {
        if (strcmp(rule->options[known].name, name) == 0)
            return &rule->options[known];
        nearest_try(&nearest, rule->options[known].name);
    }
    if (known == 0)
        failure_set(failure, FAILURE_USAGE,
                    "rule '%s' has no options, not '%s' either: leave it out", rule->name, name);
    else
        failure_set(failure, FAILURE_USAGE, "rule '%s' has no option '%s': %s", rule->name, name,
                    nearest_hint(&nearest, "", "'scow simulate --help' lists them", hint));
    return NULL;
}

static bool word_read(const struct rule *rule, const struct rule_option *option, const char *word,
                      int64_t *value, struct failure *failure)
{
    char words[WORDS_SIZE] = "";
    for (int k = 0; k < RULE_WORDS_MOST && option->words[k]; k++) {
        if (strcmp(option->words[k], word) == 0) {
            *value = k;
            return true;
        }
        const bool last = k + 1 == RULE_WORDS_MOST || !option->words[k + 1];
        const size_t length = strlen(words);
        snprintf(words + length, sizeof words - length, "%s%s",
                 k == 0 ? ""
                 : last ? " or "
                        : ", ",
                 option->words[k]);
    }
    return failure_set(failure, FAILURE_USAGE, "%s: %s is %s, not '%s'", rule->name, option->name,
                       words, word);
}

static bool number_read(const struct rule *rule, const struct rule_option *option, const char *word,
                        int64_t *value, struct failure *failure)
{
    char *end;
    errno = 0;
    const long long number = strtoll(word, &end, 10);
    if (errno != 0 || end == word || *end || number < 1 || number > option->most)
        return failure_set(failure, FAILURE_USAGE,
                           "%s: %s needs a whole number from 1 to %" PRId64 ", not '%s'",
                           rule->name, option->name, option->most, word);
    *value = number;
    return true;
}

/* Reads one NAME=VALUE; `given` has a bit for each option that was given. */
static bool piece_read(const struct rule *rule, char *piece, unsigned *given, int64_t *values,
                       struct failure *failure)
{
    char *equals = strchr(piece, '=');
    if (!equals || equals == piece || !equals[1])
        return failure_set(failure, FAILURE_USAGE,
                           "rule '%s': give its options as NAME=VALUE,NAME=VALUE, not '%s'",
                           rule->name, piece);
    *equals = '\0';
    const struct rule_option *option = option_find(rule, piece, failure);
    if (!option)
        return false;
    const size_t place = (size_t)(option - rule->options);
    if (*given >> place & 1u)
        return failure_set(failure, FAILURE_USAGE, "%s: %s is given twice: choose one", rule->name,
                           option->name);
    *given |= 1u << place;
    if (option->most > 0 && option->words[0] && strcmp(option->words[0], equals + 1) == 0) {
        values[place] = RULE_WORD;
        return true;
    }
    return option->most > 0 ? number_read(rule, option, equals + 1, &values[place], failure)
                            : word_read(rule, option, equals + 1, &values[place], failure);
}

bool rule_options_read(const struct rule *rule, const char *text, int64_t values[RULE_OPTIONS_MOST],
                       struct failure *failure)
{
    unsigned given = 0;
    for (int k = 0; k < RULE_OPTIONS_MOST; k++)
        values[k] = rule->options[k].preset;
    while (*text) {
        char piece[PIECE_SIZE];
        const size_t length = strcspn(text, ",");
        const size_t kept = length < PIECE_SIZE - 1 ? length : PIECE_SIZE - 1;
        memcpy(piece, text, kept);
        piece[kept] = '\0';
        if (!piece_read(rule, piece, &given, values, failure))
            return false;
        text += length + (text[length] == ',');
    }
    return true;
}
