#include "planner/base/duration.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The seconds of the unit at *text, which is moved behind it; negative: there is no unit. */
static double unit_take(const char **text)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"m", 60}, {"s", 1}};
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        const size_t length = strlen(units[k].name);
        if (strncmp(*text, units[k].name, length) == 0) {
            *text += length;
            return units[k].seconds;
        }
    }
    return -1;
}

double duration_parse(const char *text)
{
    double sum = 0;
    bool plain = true;
    do {
        char *end = NULL;
        const bool digit = isdigit((unsigned char)*text) || *text == '.';
        const double number = digit ? strtod(text, &end) : -1;
        if (!digit || end == text || !isfinite(number))
            return -1;
        text = end;
        const double unit_s = plain && !*text ? 1 : unit_take(&text);
        if (unit_s < 0)
            return -1;
        sum += number * unit_s;
        plain = false;
    } while (*text);
    return sum;
}

char *duration_print(double seconds, char words[DURATION_SIZE])
{
    const int64_t whole = llround(fmin(fmax(seconds, 0), 1e12));
    if (whole < 100)
        snprintf(words, DURATION_SIZE, "%d s", (int)whole);
    else if (whole < 6000)
        snprintf(words, DURATION_SIZE, "%d min %02d s", (int)(whole / 60), (int)(whole % 60));
    else
        snprintf(words, DURATION_SIZE, "%" PRId64 " h %02d min", whole / 3600,
                 (int)(whole / 60 % 60));
    return words;
}
