#include "calibrate/preview.h"

#include <string.h>

#include "spmd/job/commands.h"

enum { LINE_SHOWN = 200 };

static void commands_add(struct commands *commands, const int64_t *tasks, int count,
                         struct text *text)
{
    for (int i = 0; i < count; i++) {
        commands_print(commands, tasks[i], text);
        text_add(text, "\n");
    }
}

/* Where lines come on standard input, the command is the same for all of them. */
static void lines_add(const struct making *making, const int64_t *tasks, int count,
                      struct text *text)
{
    const char *header = commands_value(&making->job, "header");
    const int64_t before = header && strcmp(header, "yes") == 0;
    struct failure unread = FAILURE_INIT;
    struct scow_item item;
    text_add(text, "%s\nwith lines on its standard input, of which the first ones are:\n",
             commands_value(&making->job, "command"));
    for (int i = 0; i < count; i++)
        if (input_read_item(making->input, before + tasks[i], &item, &unread))
            text_add(text, "%.*s\n", (int)(item.size < LINE_SHOWN ? item.size : LINE_SHOWN),
                     item.bytes);
}

/* What stands before every program. */
static void wrap_add(const struct job *job, struct text *text)
{
    const char *wrap = commands_value(job, "wrap");
    if (wrap && *wrap)
        text_add(text, "each behind: %s\n", wrap);
}

bool preview_add(const struct making *making, const int64_t *tasks, int count, struct text *text)
{
    const char *per = commands_value(&making->job, "per");
    struct commands *commands = commands_of(&making->job, making->input);
    const bool there = commands != NULL;
    if (there && per && strcmp(per, "task") != 0)
        lines_add(making, tasks, count, text);
    else if (there)
        commands_add(commands, tasks, count, text);
    if (there)
        wrap_add(&making->job, text);
    commands_close(&commands);
    return there;
}
