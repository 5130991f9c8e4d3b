#include "planner/base/failure.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

/* Sentences quote files. Control characters in them must neither end the sentence nor reach a
 * terminal as commands: they are replaced. */
static void controls_replace(char *text)
{
    for (; *text; text++)
        if (iscntrl((unsigned char)*text))
            *text = '?';
}

bool failure_set(struct failure *failure, enum failure_code code, const char *format, ...)
{
    if (failure->code != FAILURE_NONE)
        return false;
    failure->code = code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure->text, sizeof failure->text, format, arguments);
    va_end(arguments);
    controls_replace(failure->text);
    return false;
}

bool failure_memory(struct failure *failure, const char *what)
{
    return failure_set(failure, FAILURE_FAILED,
                       "out of memory while %s: use a machine with more memory or a smaller job",
                       what);
}
