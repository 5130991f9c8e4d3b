#include "spmd/archive/slowest.h"

#include <inttypes.h>
#include <string.h>

#include "kernel/command/kept.h"
#include "spmd/archive/archive_file.h"
#include "spmd/archive/rows.h"
#include "spmd/job/items.h"
#include "spmd/layout/layout.h"

/* Of them, and of a line's bytes. */
enum { MOST = 5, LINE_MOST = 200 };

struct slow {
    int64_t task; /* from 0 */
    double seconds;
    bool failed;
};

struct slowest {
    hid_t file;
    struct rows ledger, seconds;
    struct slow found[MOST]; /* the slowest first */
    int count;
    struct items *items; /* NULL: lines are not known */
};

static void slow_insert(struct slowest *slowest, const struct slow *slow)
{
    int at = slowest->count;
    while (at > 0 && slowest->found[at - 1].seconds < slow->seconds)
        at--;
    if (at == MOST)
        return;
    slowest->count += slowest->count < MOST;
    for (int k = slowest->count - 1; k > at; k--)
        slowest->found[k] = slowest->found[k - 1];
    slowest->found[at] = *slow;
}

static void slow_find(struct slowest *slowest)
{
    for (int64_t task = 0; task < slowest->ledger.count; task++) {
        const uint8_t *mark = rows_at(&slowest->ledger, task);
        const double *seconds = mark && *mark ? rows_at(&slowest->seconds, task) : NULL;
        const struct slow slow = {task, seconds ? *seconds : 0, mark && *mark == 2};
        if (slow.seconds > 0)
            slow_insert(slowest, &slow);
    }
}

static void line_print(const struct slowest *slowest, int64_t task, struct text *text)
{
    char line[LINE_MOST + 1] = "";
    size_t size = 0;
    const char *bytes = slowest->items ? items_read(slowest->items, task, &size) : NULL;
    if (!bytes) {
        text_add(text, "null");
        return;
    }
    size = size < LINE_MOST ? size : (size_t)LINE_MOST;
    memcpy(line, bytes, size);
    kept_clean(line, size, sizeof line, false);
    text_add_quoted(text, line);
}

static void slow_print(const struct slowest *slowest, struct text *text)
{
    text_add(text, "[");
    for (int k = 0; k < slowest->count; k++) {
        const struct slow *slow = &slowest->found[k];
        text_add(text, "%s{\"task\": %" PRId64 ", \"seconds\": ", k > 0 ? ", " : "",
                 slow->task + 1);
        text_add_number(text, slow->seconds);
        text_add(text, ", \"failed\": %s, \"line\": ", slow->failed ? "true" : "false");
        line_print(slowest, slow->task, text);
        text_add(text, "}");
    }
    text_add(text, "]");
}

bool slowest_print(const char *path, struct text *text, struct failure *failure)
{
    char note[ITEMS_NOTE];
    struct slowest slowest = {.file = archive_open(path, failure)};
    if (slowest.file < 0)
        return false;
    const bool ledger =
        rows_open(&slowest.ledger, slowest.file, LAYOUT_LEDGER, H5Tcopy(H5T_NATIVE_UINT8));
    const bool timed = rows_open_field(&slowest.seconds, slowest.file, LAYOUT_RECORDS, "seconds",
                                       H5T_NATIVE_DOUBLE);
    if (ledger && timed) {
        slow_find(&slowest);
        if (slowest.count > 0)
            slowest.items = archive_items(slowest.file, path, slowest.ledger.count, note);
        slow_print(&slowest, text);
    } else {
        text_add(text, "null");
    }
    items_close(&slowest.items);
    rows_close(&slowest.ledger);
    rows_close(&slowest.seconds);
    H5Fclose(slowest.file);
    return true;
}
