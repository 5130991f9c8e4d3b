#include "spmd/job/rejected.h"

#include <inttypes.h>
#include <string.h>

#include "spmd/job/job.h"

/* Adds the output line by line, each after a vertical bar. */
static void output_add(const char *output, struct text *text)
{
    for (const char *line = output; *line;) {
        const size_t length = strcspn(line, "\n");
        text_add(text, "  | %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

void rejected_add(const struct rejection *rejection, struct commands *commands, struct text *text)
{
    text_add(text, "core task %" PRId64 " failed: %s\n", job_task_number(rejection->task),
             rejection->why);
    if (commands) {
        text_add(text, "  ran: ");
        commands_print(commands, rejection->task, text);
        text_add(text, "\n");
    }
    output_add(rejection->output, text);
}
