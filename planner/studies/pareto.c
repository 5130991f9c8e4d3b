#include "planner/studies/pareto.h"

#include <inttypes.h>
#include <stdlib.h>

#include "planner/base/json_text.h"

static const double ROUNDING = 1e-9;

/* Is `a` neither slower nor dearer than `b` (but for rounding), and better in one of both or listed
 * before it? */
static bool dominates(const struct worker_candidate *a, const struct worker_candidate *b)
{
    const struct evaluation *x = &a->evaluation, *y = &b->evaluation;
    const bool slower = x->makespan_s > y->makespan_s * (1 + ROUNDING);
    const bool dearer = x->charge > y->charge * (1 + ROUNDING);
    const bool better =
        x->makespan_s < y->makespan_s * (1 - ROUNDING) || x->charge < y->charge * (1 - ROUNDING);
    return a->made && !slower && !dearer && (better || a < b);
}

static bool is_undominated(const struct worker_choice *choice, size_t at)
{
    for (size_t k = 0; k < choice->count; k++)
        if (k != at && dominates(&choice->candidates[k], &choice->candidates[at]))
            return false;
    return choice->candidates[at].made;
}

static int row_compare(const void *a, const void *b)
{
    const double x = ((const struct pareto_row *)a)->candidate->evaluation.makespan_s;
    const double y = ((const struct pareto_row *)b)->candidate->evaluation.makespan_s;
    return (x > y) - (x < y);
}

static double product_of(const struct pareto_row *row)
{
    return row->candidate->evaluation.makespan_s * row->candidate->evaluation.charge;
}

static void knee_mark(struct pareto *pareto)
{
    size_t knee = 0;
    for (size_t k = 1; k < pareto->count; k++)
        if (product_of(&pareto->rows[k]) < product_of(&pareto->rows[knee]))
            knee = k;
    if (pareto->count > 0)
        pareto->rows[knee].knee = true;
}

bool pareto_make(const struct worker_choice *choice, struct pareto *pareto)
{
    struct pareto made = {.choice = choice};
    made.rows = calloc(choice->count + 1, sizeof *made.rows);
    if (!made.rows)
        return false;
    for (size_t k = 0; k < choice->count; k++)
        if (is_undominated(choice, k))
            made.rows[made.count++] =
                (struct pareto_row){&choice->candidates[k], false, k == choice->best};
    qsort(made.rows, made.count, sizeof *made.rows, row_compare);
    knee_mark(&made);
    *pareto = made;
    return true;
}

void pareto_release(struct pareto *pareto)
{
    free(pareto->rows);
    *pareto = (struct pareto){.rows = NULL};
}

/* For example "1 fast, 2 slow": the workers that the plan uses. */
static void workers_tell(const struct pareto *pareto, const struct pareto_row *row,
                         struct text *text)
{
    const struct kinds *kinds = &pareto->choice->kinds;
    const int64_t *counts = row->candidate->used ? row->candidate->used : row->candidate->counts;
    char name[KIND_NAME_SIZE];
    const char *before = "";
    for (size_t k = 0; k < kinds->count; k++) {
        if (counts[k] == 0)
            continue;
        text_add(text, "%s%" PRId64 " %s", before, counts[k], kind_name(&kinds->items[k], name));
        before = ", ";
    }
}

void pareto_text(const struct pareto *pareto, struct text *text)
{
    text_add(text, "%12s %12s %8s  %s\n", "makespan", "charge", "workers", "of each class");
    for (size_t k = 0; k < pareto->count; k++) {
        const struct pareto_row *row = &pareto->rows[k];
        const struct evaluation *evaluation = &row->candidate->evaluation;
        text_add_seconds_column(text, evaluation->makespan_s);
        text_add(text, " %12.6g %8" PRId64 "  ", evaluation->charge, evaluation->workers);
        workers_tell(pareto, row, text);
        text_add(text, "%s%s\n", row->knee ? "  <- least makespan x charge" : "",
                 row->chosen ? "  <- chosen" : "");
    }
}

static void counts_json(const struct pareto *pareto, const struct pareto_row *row,
                        struct json_text *json)
{
    const struct kinds *kinds = &pareto->choice->kinds;
    const int64_t *counts = row->candidate->used ? row->candidate->used : row->candidate->counts;
    char name[KIND_NAME_SIZE];
    struct json_text classes = json_open_in(json, "classes", "[", ", ");
    for (size_t k = 0; k < kinds->count; k++) {
        if (counts[k] == 0)
            continue;
        struct json_text kind = json_open_in(&classes, NULL, "{", ", ");
        json_word(&kind, "class", kind_name(&kinds->items[k], name));
        json_count(&kind, "workers", counts[k]);
        json_close(&kind, "}");
    }
    json_close(&classes, "]");
}

static void row_json(const struct pareto *pareto, const struct pareto_row *row,
                     struct json_text *rows)
{
    const struct evaluation *evaluation = &row->candidate->evaluation;
    struct json_text json = json_open_in(rows, NULL, "{", ", ");
    json_number(&json, "makespan_s", evaluation->makespan_s);
    json_number(&json, "charge", evaluation->charge);
    json_number(&json, "cpu_s", evaluation->cpu_s);
    json_count(&json, "workers", evaluation->workers);
    counts_json(pareto, row, &json);
    json_flag(&json, "knee", row->knee);
    json_flag(&json, "chosen", row->chosen);
    json_close(&json, "}");
}

void pareto_json(const struct pareto *pareto, struct text *text)
{
    struct json_text json = json_open(text, "{", ",\n  ");
    json_word(&json, "schema", "scow-pareto-1");
    struct json_text rows = json_open_in(&json, "rows", "[\n    ", ",\n    ");
    for (size_t k = 0; k < pareto->count; k++)
        row_json(pareto, &pareto->rows[k], &rows);
    json_close(&rows, "\n  ]");
    json_close(&json, "}\n");
}
