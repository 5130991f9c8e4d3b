#include "planner/base/options.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/base/nearest.h"
#include "planner/base/wrap.h"

static const struct option_row help_row = {'h',         "help", NULL,
                                           OPTION_FLAG, NULL,   "show this help and exit"};
/* For programs that read the table of options; not listed in the help. */
static const struct option_row table_row = {0, "help-table", NULL, OPTION_FLAG, NULL, ""};

/* The state while a command line is read. */
struct option_walk {
    const struct option_table *table;
    int argc, at;
    char **argv;
    enum option_help *help;
    struct failure *failure;
};

/* Length of the first two words of the usage, such as "scow plan", for "see scow plan --help". */
static int command_length(const struct option_table *table)
{
    size_t first = strcspn(table->usage, " ");
    const char *second = table->usage + first;
    return (int)(first + (*second ? 1 + strcspn(second + 1, " ") : 0));
}

static bool usage_refuse(const struct option_walk *walk, const char *what, const char *word)
{
    return failure_set(walk->failure, FAILURE_USAGE, "%s '%.100s': see '%.*s --help'", what, word,
                       command_length(walk->table), walk->table->usage);
}

static bool unknown_refuse(const struct option_walk *walk, const char *name)
{
    char see[NEAREST_HINT_SIZE], hint[NEAREST_HINT_SIZE];
    struct nearest nearest = {.word = name};
    nearest_try(&nearest, help_row.name);
    for (size_t k = 0; k < walk->table->row_count; k++)
        nearest_try(&nearest, walk->table->rows[k].name);
    snprintf(see, sizeof see, "see '%.*s --help'", command_length(walk->table), walk->table->usage);
    return failure_set(walk->failure, FAILURE_USAGE, "unknown option '--%.60s': %s", name,
                       nearest_hint(&nearest, "--", see, hint));
}

static bool count_parse(const char *word, int64_t *count)
{
    char *end;
    errno = 0;
    long long whole = strtoll(word, &end, 10);
    if (errno == 0 && end != word && *end == '\0') {
        if (whole < 1 || whole > LIMIT_TASKS)
            return false;
        *count = whole;
        return true;
    }
    double real = strtod(word, &end);
    if (end == word || *end || !(real >= 1 && real <= (double)LIMIT_TASKS) || real != floor(real))
        return false;
    *count = (int64_t)real;
    return true;
}

static bool number_parse(const char *word, double *number)
{
    char *end;
    double real = strtod(word, &end);
    if (end == word || *end || !isfinite(real))
        return false;
    *number = real;
    return true;
}

static bool value_store(const struct option_walk *walk, const struct option_row *row,
                        const char *word)
{
    const char *wanted = NULL;
    switch (row->kind) {
    case OPTION_TEXT:
        *(const char **)row->value = word;
        break;
    case OPTION_COUNT:
        wanted = count_parse(word, row->value) ? NULL : "a whole number from 1 to 9007199254740992";
        break;
    case OPTION_NUMBER:
        wanted = number_parse(word, row->value) ? NULL : "a number";
        break;
    case OPTION_FLAG:
        break;
    }
    if (!wanted)
        return true;
    return failure_set(walk->failure, FAILURE_USAGE, "--%s needs %s, not '%.60s'", row->name,
                       wanted, word);
}

/* Stores an option; `attached` is the value that was given with its name, or NULL. */
static bool option_store(struct option_walk *walk, const struct option_row *row,
                         const char *attached)
{
    if (row->kind == OPTION_FLAG) {
        if (attached)
            return usage_refuse(walk, "no value is allowed in", walk->argv[walk->at]);
        if (row == &help_row || row == &table_row)
            *walk->help = row == &help_row ? OPTION_HELP_TEXT : OPTION_HELP_TABLE;
        else
            *(bool *)row->value = true;
        return true;
    }
    if (!attached && walk->at + 1 >= walk->argc)
        return failure_set(walk->failure, FAILURE_USAGE, "--%s needs a value: %s", row->name,
                           row->argument);
    const char *word = attached ? attached : walk->argv[++walk->at];
    return value_store(walk, row, word);
}

static bool row_is_named(const struct option_row *row, const char *name, size_t length)
{
    return strlen(row->name) == length && strncmp(name, row->name, length) == 0;
}

static const struct option_row *name_find(const struct option_table *table, const char *name,
                                          size_t length)
{
    if (row_is_named(&help_row, name, length))
        return &help_row;
    if (row_is_named(&table_row, name, length))
        return &table_row;
    for (size_t k = 0; k < table->row_count; k++)
        if (row_is_named(&table->rows[k], name, length))
            return &table->rows[k];
    return NULL;
}

/* An earlier name of an option is still accepted, because scripts use it. */
static const struct option_row *earlier_find(const struct option_table *table, const char *name,
                                             size_t length)
{
    static const char earlier[] = "image", today[] = "input";
    const bool same = length == sizeof earlier - 1 && strncmp(name, earlier, length) == 0;
    return same ? name_find(table, today, sizeof today - 1) : NULL;
}

static bool long_parse(struct option_walk *walk, const char *name)
{
    size_t length = strcspn(name, "=");
    const char *attached = name[length] ? name + length + 1 : NULL;
    const struct option_row *row = name_find(walk->table, name, length);
    if (!row)
        row = earlier_find(walk->table, name, length);
    if (row)
        return option_store(walk, row, attached);
    const char *value = attached                    ? attached
                        : walk->at + 1 < walk->argc ? walk->argv[walk->at + 1]
                                                    : NULL;
    if (walk->table->unknown && value &&
        walk->table->unknown(walk->table->self, name, length, value)) {
        walk->at += !attached;
        return true;
    }
    char plain[64];
    snprintf(plain, sizeof plain, "%.*s", (int)(length < 63 ? length : 63), name);
    return unknown_refuse(walk, plain);
}

static const struct option_row *letter_find(const struct option_table *table, char letter)
{
    if (letter == help_row.letter)
        return &help_row;
    for (size_t k = 0; k < table->row_count; k++)
        if (table->rows[k].letter == letter)
            return &table->rows[k];
    return NULL;
}

/* Reads options of one letter: -v, -qv, -n4, -n 4. */
static bool letters_parse(struct option_walk *walk, const char *letters)
{
    for (; *letters; letters++) {
        const struct option_row *row = letter_find(walk->table, *letters);
        if (!row)
            return usage_refuse(walk, "unknown option", walk->argv[walk->at]);
        if (row->kind != OPTION_FLAG)
            return option_store(walk, row, letters[1] ? letters + 1 : NULL);
        if (!option_store(walk, row, NULL))
            return false;
    }
    return true;
}

bool options_parse(const struct option_table *table, int argc, char **argv, char **operands,
                   int operand_most, int *operand_count, enum option_help *help,
                   struct failure *failure)
{
    struct option_walk walk = {table, argc, 1, argv, help, failure};
    bool ended = false;
    *operand_count = 0;
    *help = OPTION_HELP_NONE;
    for (; walk.at < argc && !*help; walk.at++) {
        char *word = argv[walk.at];
        bool good = true;
        if (!ended && strcmp(word, "--") == 0)
            ended = true;
        else if (!ended && strncmp(word, "--", 2) == 0)
            good = long_parse(&walk, word + 2);
        else if (!ended && word[0] == '-' && word[1])
            good = letters_parse(&walk, word + 1);
        else if (*operand_count < operand_most)
            operands[(*operand_count)++] = word;
        else
            good = usage_refuse(&walk, "unexpected argument", word);
        if (!good)
            return false;
    }
    return true;
}

static void row_print(const struct option_row *row, FILE *out)
{
    char left[64];
    char letter[8] = "    ";
    if (row->letter)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, row->name, row->argument ? " " : "",
             row->argument ? row->argument : "");
    if (strlen(left) > 28)
        fprintf(out, "  %s\n  %-28s  %s\n", left, "", row->help);
    else
        fprintf(out, "  %-28s  %s\n", left, row->help);
}

static void words_print(const struct option_table *table, FILE *out)
{
    fprintf(out, "Usage: %s\n\n%s\n\nOptions:\n", table->usage, table->purpose);
    const size_t general = table->row_count - table->own_count;
    for (size_t k = 0; k < general; k++)
        row_print(&table->rows[k], out);
    row_print(&help_row, out);
    if (table->own_count > 0)
        fprintf(out, "\n%s:\n", table->own_title);
    for (size_t k = general; k < table->row_count; k++)
        row_print(&table->rows[k], out);
    if (table->epilogue)
        fprintf(out, "\n%s\n", table->epilogue);
}

static void option_print(const struct option_row *row, FILE *out)
{
    const char letter[2] = {row->letter, '\0'};
    fprintf(out, "option\t%s\t%s\t%s\t%s\n", letter, row->name, row->argument ? row->argument : "",
            row->help);
}

static void table_print(const struct option_table *table, FILE *out)
{
    fprintf(out, "usage\t%s\npurpose\t%s\n", table->usage, table->purpose);
    for (size_t k = 0; k < table->row_count; k++)
        option_print(&table->rows[k], out);
    option_print(&help_row, out);
    for (const char *line = table->epilogue; line && *line;) {
        const size_t length = strcspn(line, "\n");
        fprintf(out, "note\t%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

static void help_print(const struct option_table *table, enum option_help help, FILE *out)
{
    if (help == OPTION_HELP_TABLE)
        table_print(table, out);
    else
        words_print(table, out);
    if (table->list)
        table->list(out);
}

void options_help(const struct option_table *table, enum option_help help, int shown, FILE *out)
{
    char *words = NULL;
    size_t size = 0;
    struct text text = TEXT_INIT;
    FILE *memory = help == OPTION_HELP_TEXT ? open_memstream(&words, &size) : NULL;
    if (!memory) {
        help_print(table, help, out);
        return;
    }
    help_print(table, help, memory);
    if (fclose(memory) == 0 && words)
        wrap_add(&text, words, wrap_columns(out, shown));
    if (text.bytes && !text.failed)
        fputs(text.bytes, out);
    else
        help_print(table, help, out); /* without memory, lines are not wrapped */
    text_release(&text);
    free(words);
}

enum options_outcome options_read(const struct option_table *table, int argc, char **argv,
                                  char **operands, int operand_most, int *operand_count,
                                  struct failure *failure)
{
    enum option_help help;
    if (!options_parse(table, argc, argv, operands, operand_most, operand_count, &help, failure))
        return OPTIONS_WRONG;
    if (help == OPTION_HELP_NONE)
        return OPTIONS_READ;
    options_help(table, help, 0, stdout);
    return OPTIONS_HELPED;
}
