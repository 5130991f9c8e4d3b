/* How programs of tests and benchmarks describe themselves, before they do anything. */
#ifndef TESTS_USAGE_H
#define TESTS_USAGE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* If usage was asked for (-h or --help as the first word), prints it and returns true. */
static inline bool usage_asked(int argc, char **argv, const char *usage)
{
    const bool asked = argc > 1 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0);
    if (asked)
        fputs(usage, stdout);
    return asked;
}

#endif
