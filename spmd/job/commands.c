#include "spmd/job/commands.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/command/command.h"
#include "planner/base/array.h"
#include "spmd/input/input.h"

struct commands {
    const char *command; /* borrowed */
    struct input *input;
    char *text; /* owned: room for one command */
    size_t room;
};

static bool lines_open(struct commands *commands, const char *input, const char *sha256)
{
    struct failure unread = FAILURE_INIT;
    char digest[65];
    commands->input = input_open(SCOW_INPUT_LINES, input, &unread);
    return commands->input && input_sha256(commands->input, digest, &unread) &&
           strcmp(digest, sha256) == 0;
}

struct commands *commands_open(const char *command, const char *input, const char *sha256)
{
    struct commands *commands = input && sha256 ? calloc(1, sizeof *commands) : NULL;
    if (!commands)
        return NULL;
    commands->command = command;
    if (!lines_open(commands, input, sha256))
        commands_close(&commands);
    return commands;
}

static bool text_make(struct commands *commands, const struct scow_item *item, int64_t number)
{
    const size_t size =
        command_text(commands->command, item->bytes, item->size, number, NULL, 0) + 1;
    char *room = array_reserve(commands->text, &commands->room, size, 1);
    if (!room)
        return false;
    commands->text = room;
    command_text(commands->command, item->bytes, item->size, number, room, size);
    return true;
}

bool commands_print(struct commands *commands, int64_t index, struct text *text)
{
    struct failure unread = FAILURE_INIT;
    struct scow_item item;
    if (index < 0 || index >= input_shape(commands->input)->extent[0] ||
        !input_read_item(commands->input, index, &item, &unread) ||
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
    input_close(&(*commands)->input);
    free((*commands)->text);
    free(*commands);
    *commands = NULL;
}
