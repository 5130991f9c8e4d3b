#include "planner/files/tsv_rows.h"

#include <string.h>

static bool is_passed_over(const struct tsv_table *table, const char *line, int64_t number)
{
    const char *word = line + strspn(line, " \t\r");
    return *word == '\n' || *word == '\0' || *word == '#' ||
           (number == 1 && table->head && strncmp(word, table->head, strlen(table->head)) == 0);
}

bool tsv_rows_read(const struct tsv_table *table, struct failure *failure)
{
    bool good = true;
    int64_t number = 1;
    for (const char *at = table->text; good && *at; number++) {
        good = is_passed_over(table, at, number) ||
               table->take(table->self, at, number, table->name, failure);
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return good;
}
