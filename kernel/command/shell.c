#include "kernel/command/shell.h"

#include <string.h>

void shell_init(struct shell_reader *reader)
{
    *reader = (struct shell_reader){.places = {SHELL_PLAIN}};
}

enum shell_place shell_place(const struct shell_reader *reader)
{
    return reader->places[reader->depth];
}

bool shell_closed(const struct shell_reader *reader)
{
    if (reader->document)
        return true;
    for (int i = 1; i <= reader->depth; i++)
        if (reader->places[i] != SHELL_COMMENT)
            return false;
    return true;
}

static void place_enter(struct shell_reader *reader, enum shell_place place)
{
    if (reader->depth + 1 < SHELL_DEPTH_MOST)
        reader->places[++reader->depth] = place;
}

static void place_leave(struct shell_reader *reader)
{
    if (reader->depth > 0)
        reader->depth--;
}

/* What means the same within double quotes and without quotes; 0: nothing of the kind. */
static size_t read_expansion(struct shell_reader *reader, const char *at)
{
    if (*at != '\\' && *at != '$' && *at != '`')
        return 0;
    reader->special = true;
    if (*at == '\\')
        return at[1] ? 2 : 1;
    if (*at == '`') {
        if (shell_place(reader) == SHELL_BACKQUOTE)
            place_leave(reader);
        else
            place_enter(reader, SHELL_BACKQUOTE);
        return 1;
    }
    if (at[1] != '(' && at[1] != '{')
        return 1;
    place_enter(reader, at[1] == '(' ? SHELL_PARENTHESIS : SHELL_BRACE);
    return 2;
}

static void read_operator(struct shell_reader *reader, const char *at)
{
    reader->special = true;
    reader->document |= at[0] == '<' && at[1] == '<';
    if (*at == '(')
        place_enter(reader, SHELL_PARENTHESIS);
    else if (*at == ')' && shell_place(reader) == SHELL_PARENTHESIS)
        place_leave(reader);
    reader->in_word = false;
}

/* Within "${name:-it's}" it is a letter like any other. */
static bool apostrophe_quotes(const struct shell_reader *reader)
{
    return shell_place(reader) != SHELL_BRACE || reader->places[reader->depth - 1] != SHELL_DOUBLE;
}

static void read_letter(struct shell_reader *reader, char letter)
{
    if (letter == '"' || (letter == '\'' && apostrophe_quotes(reader))) {
        place_enter(reader, letter == '"' ? SHELL_DOUBLE : SHELL_SINGLE);
    } else if (letter == '}' && shell_place(reader) == SHELL_BRACE) {
        place_leave(reader);
    } else if (letter == '#' && !reader->in_word) {
        reader->special = true;
        place_enter(reader, SHELL_COMMENT);
        return;
    }
    reader->special |= strchr("*?[", letter) || (letter == '~' && !reader->in_word);
    reader->in_word = true;
}

static size_t read_unquoted(struct shell_reader *reader, const char *at)
{
    const size_t expansion = read_expansion(reader, at);
    if (expansion > 0) {
        reader->in_word = true;
        return expansion;
    }
    if (strchr("|&;<>()\n", *at))
        read_operator(reader, at);
    else if (*at == ' ' || *at == '\t')
        reader->in_word = false;
    else
        read_letter(reader, *at);
    return 1;
}

size_t shell_read(struct shell_reader *reader, const char *at)
{
    const enum shell_place place = shell_place(reader);
    if (place == SHELL_SINGLE || place == SHELL_COMMENT) {
        if (*at == (place == SHELL_SINGLE ? '\'' : '\n'))
            place_leave(reader);
        return 1;
    }
    if (place != SHELL_DOUBLE)
        return read_unquoted(reader, at);
    const size_t expansion = read_expansion(reader, at);
    if (expansion == 0 && *at == '"')
        place_leave(reader);
    return expansion ? expansion : 1;
}

bool shell_owns(const char *word, size_t size)
{
    /* Reserved words, special built-ins, and built-ins that change or ask the shell itself. */
    static const char *const words[] = {
        "!",      "{",      "}",       "case",   "do",    "done",     "elif",     "else",
        "esac",   "fi",     "for",     "if",     "in",    "then",     "until",    "while",
        ".",      ":",      "break",   "cd",     "eval",  "continue", "exec",     "exit",
        "export", "return", "set",     "shift",  "times", "trap",     "readonly", "unset",
        "alias",  "bg",     "command", "fc",     "fg",    "hash",     "jobs",     "getopts",
        "read",   "type",   "umask",   "ulimit", "wait",  "local",    "source",   "unalias"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == size && memcmp(words[i], word, size) == 0)
            return true;
    return memchr(word, '=', size) != NULL;
}
