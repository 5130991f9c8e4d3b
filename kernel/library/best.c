#include "kernel/library/best.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "kernel/library/library_job.h"

static const struct scow_field fields[] = {
    {"score", SCOW_I64, offsetof(struct best_record, score), 1, 0},
    {"target", SCOW_I64, offsetof(struct best_record, target), 1, 0},
    {"source_end", SCOW_I64, offsetof(struct best_record, source_end), 1, 0},
    {"target_end", SCOW_I64, offsetof(struct best_record, target_end), 1, 0},
    {"name", SCOW_TEXT_BYTES, offsetof(struct best_record, name), TARGET_NAME_SIZE, 0},
    {.name = NULL},
};

void best_results(const void *job, struct scow_results *results)
{
    (void)job;
    results->fields = fields;
    results->record_size = sizeof(struct best_record);
    results->state_size = sizeof(struct best_state);
}

static void state_take(struct best_state *state, const struct best_state *other)
{
    if (other->source >= 0 && (state->source < 0 || other->score > state->score ||
                               (other->score == state->score && other->source < state->source)))
        *state = *other;
}

void best_add(struct best_state *state, int64_t source, const struct best_record *record)
{
    if (record->target >= 0)
        state_take(state, &(struct best_state){source, record->target, record->source_end,
                                               record->target_end, record->score});
}

void best_reset(const void *job, void *state)
{
    (void)job;
    *(struct best_state *)state = (struct best_state){.source = -1};
}

void best_merge(const void *job, void *state, const void *part)
{
    (void)job;
    state_take(state, part);
}

/* Of what a name may hold, '"' and '\' are not for JSON as they are. */
static void name_escape(const char *name, char *escaped)
{
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            *escaped++ = '\\';
        *escaped++ = *name;
    }
    *escaped = '\0';
}

int best_print(const void *opened, const void *reduced, char *json, size_t size)
{
    const struct library_job *job = opened;
    const struct best_state *state = reduced;
    char name[2 * TARGET_NAME_SIZE];
    if (state->source < 0)
        return snprintf(json, size, "{\"score\": 0}");
    name_escape(targets_name(&job->targets, state->target), name);
    return snprintf(json, size,
                    "{\"score\": %" PRId64 ", \"source\": %" PRId64 ", \"target\": %" PRId64
                    ", \"name\": \"%s\", \"source_end\": %" PRId64 ", \"target_end\": %" PRId64 "}",
                    state->score, state->source, state->target, name, state->source_end,
                    state->target_end);
}
