/*
 * Command lines as tables beside their variables. Options may stand anywhere; "--" ends them;
 * --name=value and --name value are the same; unambiguous prefixes are not accepted; an unknown
 * one is refused with the nearest known one.
 */
#ifndef PLANNER_BASE_OPTIONS_H
#define PLANNER_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "planner/base/failure.h"

enum option_kind {
    OPTION_FLAG,   /* bool * */
    OPTION_TEXT,   /* const char **, borrowed from argv */
    OPTION_COUNT,  /* int64_t *: a whole number >= 1, with or without an exponent (1e9) */
    OPTION_NUMBER, /* double *: finite */
};

struct option_row {
    char letter;          /* 0: none */
    const char *name;     /* without the dashes */
    const char *argument; /* as the help calls it, "FILE"; NULL for a flag */
    enum option_kind kind;
    void *value;
    const char *help;
};

struct option_table {
    const char *usage;             /* "scow plan -p PROFILE (-i IMAGE | -X TASKS) [options]" */
    const char *purpose;           /* one or two sentences */
    const struct option_row *rows; /* -h/--help is always there and need not be listed */
    size_t row_count;
    /* The last `own_count` rows stand apart in the help, below this title: "Options of the core
     * task sleep". 0: none does. */
    size_t own_count;
    const char *own_title;
    /* Takes an option that no row has, with its value, and says whether it did; `name` is not
     * terminated. NULL: such an option is refused. */
    bool (*unknown)(void *self, const char *name, size_t length, const char *value);
    void *self;
    const char *epilogue;    /* printed after the options; may be NULL */
    void (*list)(FILE *out); /* what the help ends with; may be NULL */
};

/* What is asked for in place of doing something: help for people (-h, --help), or the table itself
 * (--help-table) for what makes manual pages and completions (jobs/package/generate.py). */
enum option_help { OPTION_HELP_NONE, OPTION_HELP_TEXT, OPTION_HELP_TABLE };

/* Fill the rows' variables; operands (borrowed from argv) go to operands[0..*operand_count), at
 * most `operand_most`. When *help is set, the rest of the command line has not been checked. */
bool options_parse(const struct option_table *table, int argc, char **argv, char **operands,
                   int operand_most, int *operand_count, enum option_help *help,
                   struct failure *failure);
/* Print the help. OPTION_HELP_TEXT is wrapped to the columns of the terminal: that of `out`, or
 * `shown` columns if another terminal shows it (wrap_columns). OPTION_HELP_TABLE is tab-separated
 * lines: "usage" and "purpose" with their texts; "option" with letter, name, argument and help of
 * each; "note" with each line of the epilogue; then the list, unchanged. */
void options_help(const struct option_table *table, enum option_help help, int shown, FILE *out);

enum options_outcome { OPTIONS_WRONG, OPTIONS_HELPED, OPTIONS_READ };
/* The same for a command that is alone in its process: when help is asked for, it is printed. */
enum options_outcome options_read(const struct option_table *table, int argc, char **argv,
                                  char **operands, int operand_most, int *operand_count,
                                  struct failure *failure);

#endif
