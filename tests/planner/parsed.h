/* Profiles from the texts of tests. */
#ifndef TESTS_PLANNER_PARSED_H
#define TESTS_PLANNER_PARSED_H

#include <stdio.h>

#include "planner/files/profile_json.h"
#include "tests/checks.h"

/* Of a text like printf's; to be released. */
__attribute__((format(printf, 1, 2))) static inline struct profile profile_read(const char *form,
                                                                                ...)
{
    struct failure failure = FAILURE_INIT;
    struct profile profile;
    va_list values, again;
    va_start(values, form);
    va_copy(again, values);
    const size_t length = (size_t)vsnprintf(NULL, 0, form, values);
    char *text = malloc(length + 1);
    assert_non_null(text);
    vsnprintf(text, length + 1, form, again);
    va_end(values);
    va_end(again);
    if (!profile_parse(&profile, text, length, "p.json", &failure))
        fail_msg("%s", failure.text);
    free(text);
    return profile;
}

#endif
