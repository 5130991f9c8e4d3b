#include "planner/report/probe_columns.h"

#include "planner/base/json_text.h"

#include <inttypes.h>
#include <math.h>

static int64_t probe_setting(const struct sample *sample)
{
    return sample->setting;
}
static int64_t probe_operation(const struct sample *sample)
{
    return (int64_t)sample->operation;
}
static int64_t probe_rank(const struct sample *sample)
{
    return sample->rank;
}
static int64_t probe_cold(const struct sample *sample)
{
    return sample->cold;
}
static int64_t probe_waited(const struct sample *sample)
{
    return sample->waited;
}
static int64_t probe_tasks(const struct sample *sample)
{
    return sample->tasks;
}
static int64_t probe_length(const struct sample *sample)
{
    return llround(1e9 * sample->seconds);
}

static const struct {
    const char *key;
    int64_t (*of)(const struct sample *sample);
} columns[] = {{"setting", probe_setting}, {"operation", probe_operation}, {"rank", probe_rank},
               {"cold", probe_cold},       {"waited", probe_waited},       {"tasks", probe_tasks},
               {"length_ns", probe_length}};

/* Is number `at` of `count` among `most` numbers that are spread evenly over all? */
static bool is_drawn(int64_t at, int64_t count, int64_t most)
{
    return count <= most || at * most / count != (at + 1) * most / count;
}

static void column_add(struct json_text *json, const struct samples *samples, int64_t most,
                       int64_t (*of)(const struct sample *sample))
{
    for (int64_t i = 0; i < samples->count; i++)
        if (is_drawn(i, samples->count, most))
            json_count(json, NULL, of(&samples->items[i]));
}

void probe_columns_add(struct text *text, const struct samples *samples, int64_t most)
{
    struct json_text json = json_open(text, "{", ",\n");
    struct json_text names = json_open_in(&json, "operations", "[", ", ");
    for (int k = 0; k <= OPERATION_ANSWER; k++)
        json_word(&names, NULL, operation_name((enum operation)k));
    json_close(&names, "]");
    json_count(&json, "timings", samples->count);
    json_count(&json, "drawn", samples->count < most ? samples->count : most);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        struct json_text column = json_open_in(&json, columns[c].key, "[", ",");
        column_add(&column, samples, most, columns[c].of);
        json_close(&column, "]");
    }
    json_close(&json, "}\n");
}
