#include "spmd/job/commands.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/command/command.h"
#include "planner/base/array.h"
#include "spmd/input/input.h"
#include "spmd/job/job.h"

struct commands {
    const char *command; /* borrowed */
    int64_t header;      /* header lines before the first core task */
    struct columns columns;
    struct input *input; /* borrowed */
    char *text;          /* owned: room for one command */
    size_t room;
};

static enum columns_format format_of(const char *word)
{
    static const char *const words[] = {"auto", "text", "csv", "tsv", "jsonl"};
    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], word) == 0)
            return (enum columns_format)i;
    return COLUMNS_AUTO;
}

/* The names of columns are in the first line. */
static bool columns_open(struct commands *commands, const struct commands_source *source)
{
    struct failure unread = FAILURE_INIT;
    struct scow_item first;
    char why[COLUMNS_WHY_SIZE];
    commands->header = source->header && strcmp(source->header, "yes") == 0;
    if (columns_init(&commands->columns, format_of(source->format), source->colsep, source->input))
        return false;
    if (commands->header == 0 && !commands->columns.json)
        return true;
    return input_read_item(commands->input, 0, &first, &unread) &&
           (columns_name(&commands->columns, first.bytes, first.size, why) ||
            commands->header == 0);
}

struct commands *commands_open(const struct commands_source *source, struct input *input)
{
    struct commands *commands = source->command ? calloc(1, sizeof *commands) : NULL;
    if (!commands)
        return NULL;
    commands->command = source->command;
    commands->input = input;
    if (!columns_open(commands, source))
        commands_close(&commands);
    return commands;
}

const char *commands_value(const struct job *job, const char *name)
{
    for (int i = 0; i < job->values.count; i++) {
        const struct scow_parameter *parameter = &job->task->parameters[i];
        const struct scow_value *value = &job->values.items[i];
        if (strcmp(parameter->name, name) != 0)
            continue;
        return parameter->kind == SCOW_WORD ? parameter->words[(int)value->number] : value->text;
    }
    return NULL;
}

struct commands *commands_of(const struct job *job, struct input *input)
{
    const struct commands_source source = {.command = commands_value(job, "command"),
                                           .input = job->input_name,
                                           .format = commands_value(job, "format"),
                                           .colsep = commands_value(job, "colsep"),
                                           .header = commands_value(job, "header")};
    const bool is_command = strcmp(job->task->name, "command") == 0 && input;
    return is_command ? commands_open(&source, input) : NULL;
}

static bool text_make(struct commands *commands, const struct scow_item *item, int64_t number)
{
    const struct columns *columns = &commands->columns;
    const size_t size =
        command_text(commands->command, columns, item->bytes, item->size, number, NULL, 0) + 1;
    char *room = array_reserve(commands->text, &commands->room, size, 1);
    if (!room)
        return false;
    commands->text = room;
    command_text(commands->command, columns, item->bytes, item->size, number, room, size);
    return true;
}

bool commands_print(struct commands *commands, int64_t index, struct text *text)
{
    struct failure unread = FAILURE_INIT;
    struct scow_item item;
    if (index < 0 || index >= input_shape(commands->input)->extent[0] - commands->header ||
        !input_read_item(commands->input, commands->header + index, &item, &unread) ||
        !text_make(commands, &item, index + 1))
        return false;
    const char *at = commands->text;
    for (size_t line = strcspn(at, "\n"); at[line]; line = strcspn(at, "\n")) {
        text_add(text, "%.*s\\n", (int)line, at);
        at += line + 1;
    }
    text_add(text, "%s", at);
    return true;
}

void commands_close(struct commands **commands)
{
    if (!*commands)
        return;
    columns_release(&(*commands)->columns);
    free((*commands)->text);
    free(*commands);
    *commands = NULL;
}
