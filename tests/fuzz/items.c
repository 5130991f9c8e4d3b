#define _GNU_SOURCE /* memfd_create */
#include "tests/fuzz/items.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/spmd/items.h"

static void require(bool kept)
{
    if (!kept)
        abort();
}

/* A file in memory, which is read by a name that Linux gives to what is open: nothing is left
 * behind however this ends. */
static const char *file_name(const uint8_t *data, size_t size)
{
    static int file = -1;
    static char name[32];
    if (file < 0) {
        file = memfd_create("fuzzed", MFD_CLOEXEC);
        require(file >= 0);
        snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    }
    require(ftruncate(file, (off_t)size) == 0);
    require(pwrite(file, data, size, 0) == (ssize_t)size);
    return name;
}

static void refusal_check(enum scow_input_kind kind, const char *name)
{
    struct failure failure = FAILURE_INIT;
    require(input_open(kind, name, &failure) == NULL);
    require(failure.code == FAILURE_MISMATCH);
    require(strstr(failure.text, name) != NULL);
    require(strpbrk(failure.text, "\n\r\t\x1b") == NULL);
    require(strlen(failure.text) < sizeof failure.text - 1); /* all of it */
}

void items_try(enum scow_input_kind kind, const uint8_t *data, size_t size)
{
    struct items items;
    const char *name = file_name(data, size);
    if (items_find(kind, (const char *)data, size, &items))
        require(items_agree(kind, name, &items));
    else
        refusal_check(kind, name);
    items_release(&items);
}
