#include "planner/report/remarks.h"

#include <stdlib.h>
#include <string.h>

#include "planner/model/beyond.h"
#include "planner/model/conditions.h"

void remarks_conditions(const struct run_record *record, struct text *text)
{
    const struct conditions here = {.processor = record->processor,
                                    .isa = record->isa,
                                    .method = record->method,
                                    .threads = record->threads,
                                    .workers_per_node = record->workers_per_node};
    if (record->has_profile)
        conditions_compare(
            &here, &record->profile,
            profile_find(&record->profile, &record->plan.parameters, record->plan.threads),
            "unlike      ", text);
}

/* Columns are for tables. */
static void spaces_join(char *line)
{
    char *to = line;
    for (const char *from = line; *from; from++)
        if (*from != ' ' || from[1] != ' ')
            *to++ = *from;
    *to = '\0';
}

/* `lines` is written to. */
static void lines_json(char *lines, struct text *text)
{
    char *rest = lines, *line;
    const char *before = "";
    while ((line = strsep(&rest, "\n"))) {
        if (!*line)
            continue;
        spaces_join(line);
        text_add(text, "%s", before);
        text_add_quoted(text, line);
        before = ", ";
    }
}

void remarks_json(const struct run_record *record, struct text *text)
{
    struct text lines = TEXT_INIT;
    text_add(&lines, "%s%s", record->told ? record->told : "",
             record->lost_told ? record->lost_told : "");
    remarks_conditions(record, &lines);
    beyond_describe(&record->plan.beyond, &lines);
    char *all = text_take(&lines);
    text_add(text, "[");
    if (all)
        lines_json(all, text);
    text->failed = text->failed || !all;
    text_add(text, "]");
    free(all);
}
