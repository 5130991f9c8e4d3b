#include <string.h>

#include "planner/library/handle.h"

struct entry entry_begin(void)
{
    struct entry entry = {.failure = FAILURE_INIT};
    entry.own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (entry.own)
        entry.before = uselocale(entry.own);
    return entry;
}

int entry_end(struct entry *entry, struct scow_plan_error *error)
{
    if (entry->own) {
        uselocale(entry->before);
        freelocale(entry->own);
    }
    if (error) {
        error->code = (int)entry->failure.code;
        memcpy(error->text, entry->failure.text, sizeof error->text);
    }
    return (int)entry->failure.code;
}

char *entry_give_text(struct entry *entry, struct text *text, bool good, const char *task)
{
    return text_finish(text, good, task, &entry->failure);
}

bool structure_take(void *taken, size_t size, const void *given, const char *name,
                    struct failure *failure)
{
    size_t known;
    memcpy(&known, given, sizeof known);
    if (known < sizeof known || known > 65536)
        return failure_set(failure, FAILURE_USAGE,
                           "%s: its size is not set: begin with the INIT macro of scow-plan.h",
                           name);
    const unsigned char *bytes = given;
    for (size_t k = size; k < known; k++)
        if (bytes[k] != 0)
            return failure_set(failure, FAILURE_USAGE,
                               "%s: asks for what this library, scow %s, does not know yet: use a "
                               "newer one",
                               name, SCOW_VERSION);
    memset(taken, 0, size);
    memcpy(taken, given, known < size ? known : size);
    return true;
}
