#include "spmd/job/items.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spmd/input/input.h"

struct items {
    struct input *input;
    char *path;    /* owned */
    int64_t first; /* header items before the first core task */
};

/* Owned: the input's name, relative to the output's folder (`whole`: including its own folders). */
static char *name_beside(const struct items_wanted *wanted, bool whole)
{
    const char *slash = strrchr(wanted->output, '/'), *last = strrchr(wanted->input, '/');
    const char *name = whole || !last ? wanted->input : last + 1;
    const size_t room = strlen(wanted->output) + strlen(name) + 2;
    char *path = malloc(room);
    if (path)
        snprintf(path, room, "%.*s%s", slash ? (int)(slash - wanted->output) + 1 : 0,
                 wanted->output, name);
    return path;
}

/* Owned: a path at which it can be read. NULL: there is none. */
static char *path_find(const struct items_wanted *wanted)
{
    char *path = strdup(wanted->input);
    for (int way = 0; way < 2 && path && access(path, R_OK) != 0; way++) {
        free(path);
        path = name_beside(wanted, way == 0);
    }
    if (path && access(path, R_OK) == 0)
        return path;
    free(path);
    return NULL;
}

static bool is_same(const struct input *input, const struct items_wanted *wanted)
{
    struct failure unread = FAILURE_INIT;
    char now[65];
    if (wanted->stamp && wanted->stamp[0] && input_stamp(input, now, &unread) &&
        strcmp(now, wanted->stamp) == 0)
        return true;
    return wanted->sha256 && wanted->sha256[0] && input_sha256(input, now, &unread) &&
           strcmp(now, wanted->sha256) == 0;
}

static bool items_open(struct items *items, const struct items_wanted *wanted, int kind,
                       char note[ITEMS_NOTE])
{
    struct failure unread = FAILURE_INIT;
    items->path = path_find(wanted);
    if (!items->path) {
        snprintf(note, ITEMS_NOTE, "its input '%.300s' is not there any more", wanted->input);
        return false;
    }
    items->input = input_open((enum scow_input_kind)kind, items->path, &unread);
    items->first = items->input ? input_shape(items->input)->extent[0] - wanted->tasks : -1;
    if (items->input && !wanted->header && items->first != 0)
        return false; /* a core task is not a line of the input */
    if ((items->first == 0 || items->first == 1) && is_same(items->input, wanted))
        return true;
    snprintf(note, ITEMS_NOTE, "its input '%.300s' has changed since", items->path);
    return false;
}

struct items *items_find(const struct items_wanted *wanted, char note[ITEMS_NOTE])
{
    note[0] = '\0';
    if (!wanted->input ||
        (wanted->kind != SCOW_INPUT_LINES && wanted->kind != SCOW_INPUT_SEQUENCES))
        return NULL;
    struct items *items = calloc(1, sizeof *items);
    if (!items)
        snprintf(note, ITEMS_NOTE, "out of memory for its input");
    else if (!items_open(items, wanted, wanted->kind, note))
        items_close(&items);
    return items;
}

const char *items_path(const struct items *items)
{
    return items->path;
}

struct input *items_input(struct items *items)
{
    return items->input;
}

const char *items_read(struct items *items, int64_t index, size_t *size)
{
    struct failure unread = FAILURE_INIT;
    struct scow_item item;
    if (!input_read_item(items->input, items->first + index, &item, &unread))
        return NULL;
    *size = item.name ? strlen(item.name) : item.size;
    return item.name ? item.name : item.bytes;
}

void items_close(struct items **items)
{
    if (!*items)
        return;
    input_close(&(*items)->input);
    free((*items)->path);
    free(*items);
    *items = NULL;
}
