#include "planner/report/events.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/json_text.h"
#include "planner/report/causes.h"
#include "planner/report/prediction.h"
#include "planner/report/residuals.h"

/* An event, or the cause of a wait. */
struct span {
    struct trace_event event;
    int cause; /* -1: none */
};

struct spans {
    struct causes causes;
    struct span *rows; /* owned */
    size_t count;
};

/* Replaces the trace's idle events by idle times with their causes. */
static void spans_fill(struct spans *spans, const struct trace *trace, int64_t packages_most)
{
    for (size_t k = 0; k < trace->count; k++)
        if (trace->events[k].operation != OPERATION_IDLE &&
            trace->events[k].package < packages_most)
            spans->rows[spans->count++] = (struct span){trace->events[k], -1};
    for (size_t k = 0; k < spans->causes.count; k++)
        if (spans->causes.spans[k].gap.package < packages_most)
            spans->rows[spans->count++] =
                (struct span){spans->causes.spans[k].gap, (int)spans->causes.spans[k].cause};
}

static bool rows_make(struct spans *spans, const struct trace *trace, int64_t packages_most,
                      struct failure *failure)
{
    spans->rows = calloc(trace->count + spans->causes.count + 1, sizeof *spans->rows);
    if (!spans->rows)
        return failure_memory(failure, "listing events");
    spans_fill(spans, trace, packages_most);
    return true;
}

static void spans_release(struct spans *spans)
{
    causes_release(&spans->causes);
    free(spans->rows);
}

static int64_t nanoseconds(double seconds)
{
    return llround(1e9 * seconds);
}

static int64_t span_rank(const struct span *span)
{
    return span->event.rank;
}
static int64_t span_operation(const struct span *span)
{
    return span->cause < 0 ? span->event.operation : OPERATION_IDLE;
}
static int64_t span_cause(const struct span *span)
{
    return span->cause;
}
static int64_t span_round(const struct span *span)
{
    return span->event.round;
}
static int64_t span_package(const struct span *span)
{
    return span->event.package;
}
static int64_t span_first(const struct span *span)
{
    return span->event.first;
}
static int64_t span_tasks(const struct span *span)
{
    return span->event.tasks;
}
static int64_t span_start(const struct span *span)
{
    return nanoseconds(span->event.start_s);
}
static int64_t span_length(const struct span *span)
{
    return nanoseconds(fmax(span->event.start_s, span->event.end_s)) -
           nanoseconds(span->event.start_s);
}

static const struct {
    const char *key;
    int64_t (*of)(const struct span *span);
} columns[] = {{"rank", span_rank},   {"operation", span_operation}, {"cause", span_cause},
               {"round", span_round}, {"package", span_package},     {"first", span_first},
               {"tasks", span_tasks}, {"start_ns", span_start},      {"length_ns", span_length}};

enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

static void columns_add(struct text *text, const struct spans *spans)
{
    struct json_text json = json_open(text, "{", ",\n");
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        struct json_text column = json_open_in(&json, columns[c].key, "[", ",");
        for (size_t k = 0; k < spans->count; k++)
            json_count(&column, NULL, columns[c].of(&spans->rows[k]));
        json_close(&column, "]");
    }
    json_close(&json, "}");
}

/* Writes a trace as columns, with known causes; NULL: there is no trace. */
static bool trace_columns(struct json_text *json, const char *key, const struct trace *trace,
                          struct spans *spans, int64_t packages_most, struct failure *failure)
{
    if (!trace) {
        json_raw(json, key, NULL);
        return true;
    }
    if (!rows_make(spans, trace, packages_most, failure))
        return false;
    columns_add(json_next(json, key), spans);
    return true;
}

static void names_add(struct json_text *json)
{
    struct json_text operations = json_open_in(json, "operations", "[", ", ");
    for (int k = 0; k < OPERATION_COUNT; k++)
        json_word(&operations, NULL, operation_name((enum operation)k));
    json_close(&operations, "]");
    struct json_text causes = json_open_in(json, "causes", "[", ", ");
    for (int k = 0; k < CAUSE_COUNT; k++)
        json_word(&causes, NULL, cause_words((enum cause)k));
    json_close(&causes, "]");
}

/* ---- the first packages -------------------------------------------------------------------- */

static bool head_take(void *self, const struct trace *block)
{
    struct events_head *head = self;
    for (size_t k = 0; k < block->count; k++) {
        const struct trace_event *event = &block->events[k];
        if (head->failure && !trace_event_check(event, head->failure))
            return false;
        if (event->package >= head->packages)
            head->packages = event->package + 1;
        if (event->package < head->most && !trace_add(&head->trace, event))
            return false;
    }
    return true;
}

void events_head_init(struct events_head *head, int64_t most)
{
    /* A worker may wait for a later package, so that more packages are read than are listed. */
    static const int64_t later = 4096;
    *head = (struct events_head){.most = most < INT64_MAX - later ? most + later : most};
    head->taker = (struct trace_taker){head_take, head};
    head->made.on = &head->taker;
}

void events_head_release(struct events_head *head)
{
    trace_release(&head->trace);
    trace_release(&head->made);
}

/* Reads the head of the prediction, also of several masters; *has: there is one. */
static bool predicted_read(const struct run_record *record, struct events_head *predicted,
                           bool *has, struct failure *failure)
{
    struct failure none = FAILURE_INIT;
    enum prediction_wanted wanted = prediction_wanted(record);
    if (record->plan.star_count > 0) {
        struct residuals residuals;
        if (!residuals_make(record, &residuals, failure))
            return false;
        wanted = residuals.has_predicted ? PREDICTION_NEEDED : PREDICTION_NONE;
        residuals_release(&residuals);
    }
    *has =
        wanted != PREDICTION_NONE && prediction_make(record, &predicted->made, NULL,
                                                     wanted == PREDICTION_NEEDED ? failure : &none);
    return *has || wanted != PREDICTION_NEEDED;
}

/* Reads the head of the run's trace; events without a name are refused. */
static bool measured_read(const struct run_record *record, struct events_head *measured,
                          struct failure *failure)
{
    measured->failure = failure;
    const bool good = run_trace_read(record, &measured->taker, failure);
    measured->failure = NULL;
    return good;
}

bool events_heads_read(const struct run_record *record, struct events_head *measured,
                       struct events_head *predicted, bool *has, struct failure *failure)
{
    if (!residuals_traced(record, failure))
        return false;
    measured->counted = predicted->counted = record->counted;
    measured->plan = predicted->plan = &record->plan;
    return (measured_read(record, measured, failure) &&
            predicted_read(record, predicted, has, failure)) ||
           failure_memory(failure, "listing events");
}

/* At least so many packages have so many events: a package has one event for each operation. */
int64_t events_packages(int64_t most)
{
    return most / OPERATION_COUNT;
}

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Finds the causes of a head's waits (NULL: no head); *packages_most: all causes are known for the
 * packages before that. */
static bool causes_read(const struct events_head *head, struct spans *spans, int64_t *packages_most,
                        struct failure *failure)
{
    *spans = (struct spans){.count = 0};
    if (!head)
        return true;
    const bool good = causes_make(&head->trace, head->plan, head->counted, &spans->causes, failure);
    *packages_most = least_of(*packages_most, spans->causes.packages);
    return good;
}

/* Each may be NULL: there is none. */
static bool heads_print(const struct events_head *measured, const struct events_head *predicted,
                        int64_t most, struct text *text, struct failure *failure)
{
    const int64_t in_run = measured ? measured->packages : 0;
    const int64_t in_plan = predicted ? predicted->packages : 0;
    const int64_t packages = in_run > in_plan ? in_run : in_plan;
    int64_t packages_most = events_packages(most);
    struct spans run, plan;
    struct json_text json = json_open(text, "{", ",\n");
    bool good = causes_read(measured, &run, &packages_most, failure);
    good = causes_read(predicted, &plan, &packages_most, failure) && good;
    names_add(&json);
    json_count(&json, "packages", packages);
    json_count(&json, "drawn", least_of(packages, packages_most));
    good = good &&
           trace_columns(&json, "measured", measured ? &measured->trace : NULL, &run, packages_most,
                         failure) &&
           trace_columns(&json, "predicted", predicted ? &predicted->trace : NULL, &plan,
                         packages_most, failure);
    json_close(&json, "}\n");
    spans_release(&run);
    spans_release(&plan);
    return good;
}

bool events_print_plan(const struct events_head *predicted, int64_t most, struct text *text,
                       struct failure *failure)
{
    return heads_print(NULL, predicted, most, text, failure);
}

bool events_print(const struct run_record *record, int64_t most, struct text *text,
                  struct failure *failure)
{
    struct events_head measured, predicted;
    bool has = false;
    events_head_init(&measured, events_packages(most));
    events_head_init(&predicted, events_packages(most));
    const bool good = events_heads_read(record, &measured, &predicted, &has, failure) &&
                      heads_print(&measured, has ? &predicted : NULL, most, text, failure);
    events_head_release(&measured);
    events_head_release(&predicted);
    return good;
}

/* ---- all of them --------------------------------------------------------------------------- */

/* Numbers that were printed last: a time is the end of one event and the start of the next, and
 * workers that wait for the same thing end their waits at the same time, so that most numbers are
 * needed again. */
struct printed {
    double number;
    char digits[24]; /* not terminated where all are used; empty: no number */
};

/* More entries than a block has times. */
enum { PRINTED_BITS = 18 };

/* The lines of one trace, which is read or simulated block by block. */
struct listing {
    FILE *stream;
    const char *name;
    struct text text;        /* lines that are not written yet */
    struct printed *printed; /* owned; by a hash of the number */
    struct cause_division *division;
    struct failure *failure;
};

static bool lines_write(struct listing *listing)
{
    struct text *text = &listing->text;
    if (text->failed)
        return failure_memory(listing->failure, "listing events");
    const bool good =
        text->length == 0 || fwrite(text->bytes, 1, text->length, listing->stream) == text->length;
    text->length = 0;
    return good;
}

static struct printed *printed_of(const struct listing *listing, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return &listing->printed[bits * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PRINTED_BITS)];
}

static void number_add(struct listing *listing, double number)
{
    struct text *text = &listing->text;
    struct printed *printed = printed_of(listing, number);
    const size_t before = text->length;
    if (printed->number == number && printed->digits[0]) {
        text_add_bytes(text, printed->digits, strnlen(printed->digits, sizeof printed->digits));
        return;
    }
    text_add_number(text, number);
    const size_t length = text->length - before;
    if (text->failed || length > sizeof printed->digits)
        return;
    *printed = (struct printed){.number = number};
    memcpy(printed->digits, text->bytes + before, length);
}

static void word_add(struct text *text, const char *word)
{
    text_add_bytes(text, word, strlen(word));
    text_add_bytes(text, ",", 1);
}

static void count_add(struct text *text, int64_t count)
{
    text_add_count(text, count);
    text_add_bytes(text, ",", 1);
}

static bool line_add(struct listing *listing, const struct span *span)
{
    static const size_t piece = 1 << 16;
    struct text *text = &listing->text;
    const struct trace_event *event = &span->event;
    word_add(text, listing->name);
    count_add(text, event->rank);
    word_add(text, operation_name((enum operation)span_operation(span)));
    word_add(text, span->cause < 0 ? "" : cause_name((enum cause)span->cause));
    count_add(text, event->round);
    count_add(text, event->package);
    count_add(text, event->first);
    count_add(text, event->tasks);
    number_add(listing, event->start_s);
    text_add_bytes(text, ",", 1);
    number_add(listing, event->end_s);
    text_add_bytes(text, "\n", 1);
    return text->length < piece || lines_write(listing);
}

static bool cause_list(void *self, const struct cause_span *span)
{
    return line_add(self, &(struct span){span->gap, (int)span->cause});
}

/* Causes of waits in the last block come first: those of waits that end there are known only when
 * this block is read. */
static bool listing_take(void *self, const struct trace *block)
{
    struct listing *listing = self;
    bool good = cause_division_take(listing->division, block, listing->failure);
    for (size_t k = 0; good && k < block->count; k++)
        if (block->events[k].operation != OPERATION_IDLE)
            good = line_add(listing, &(struct span){block->events[k], -1});
    return good;
}

static bool listing_end(struct listing *listing)
{
    struct causes causes = {0};
    const bool good =
        cause_division_end(listing->division, &causes, listing->failure) && lines_write(listing);
    causes_release(&causes);
    return good;
}

/* Lists the run's trace, or that of its plan. */
static bool trace_list(const struct run_record *record, const char *name, bool predicted,
                       FILE *stream, struct failure *failure)
{
    struct listing listing = {.stream = stream, .name = name, .failure = failure};
    const struct cause_taker causes = {cause_list, &listing};
    const struct trace_taker taker = {listing_take, &listing};
    struct trace made = {.on = &taker};
    listing.printed = calloc((size_t)1 << PRINTED_BITS, sizeof *listing.printed);
    if (!listing.printed)
        return failure_memory(failure, "listing events");
    listing.division = cause_division_new(&record->plan, &causes, failure);
    if (listing.division && record->counted)
        cause_division_counted(listing.division);
    const bool good = listing.division &&
                      (predicted ? prediction_make(record, &made, NULL, failure)
                                 : run_trace_read(record, &taker, failure)) &&
                      listing_end(&listing);
    cause_division_free(&listing.division);
    text_release(&listing.text);
    free(listing.printed);
    trace_release(&made);
    return good;
}

bool events_csv(const struct run_record *record, FILE *stream, struct failure *failure)
{
    static const char head[] =
        "trace,rank,operation,cause,round,package,first,tasks,start_s,end_s\n";
    struct residuals residuals;
    /* This refuses events that have no name. */
    if (!residuals_make(record, &residuals, failure))
        return false;
    const bool has = residuals.has_predicted;
    residuals_release(&residuals);
    return fputs(head, stream) >= 0 && trace_list(record, "measured", false, stream, failure) &&
           (!has || trace_list(record, "predicted", true, stream, failure));
}
