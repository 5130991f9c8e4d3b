#include "planner/base/failure.h"

#include <stdarg.h>
#include <stdio.h>

bool failure_set(struct failure *failure, enum failure_code code, const char *format, ...)
{
    if (failure->code != FAILURE_NONE)
        return false;
    failure->code = code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure->text, sizeof failure->text, format, arguments);
    va_end(arguments);
    return false;
}

bool failure_memory(struct failure *failure, const char *what)
{
    return failure_set(failure, FAILURE_FAILED,
                       "out of memory while %s: use a machine with more memory or a smaller job",
                       what);
}
