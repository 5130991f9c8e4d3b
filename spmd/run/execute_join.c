#include <stdlib.h>
#include <string.h>

#include "kernel/vector/isa.h"
#include "spmd/run/execution_state.h"

static void part_set(struct letter *letter, enum letter_part which, const void *bytes, size_t size)
{
    letter->parts[which] = bytes;
    letter->sizes[which] = size;
}

/* NULL: empty. */
static void text_set(struct letter *letter, enum letter_part which, const char *text)
{
    part_set(letter, which, text, text ? strlen(text) : 0);
}

static void texts_fill(const struct execution_state *state, const char *method,
                       struct letter *letter)
{
    const struct execution *execution = state->execution;
    text_set(letter, LETTER_VERSION, letter_version());
    text_set(letter, LETTER_PLAN, execution->plan_text);
    text_set(letter, LETTER_PROFILE, execution->profile_text);
    text_set(letter, LETTER_PLAN_NAME, execution->plan_name);
    text_set(letter, LETTER_INPUT, execution->input);
    text_set(letter, LETTER_OUTPUT, execution->output);
    text_set(letter, LETTER_ISA, isa_name(isa_current()));
    text_set(letter, LETTER_METHOD, method);
}

/* What a worker's own copy of the input must be. Each worker may have its own file system, so the
 * digest is needed before the first one joins. */
static bool staged_fill(struct execution_state *state, struct letter *letter,
                        struct failure *failure)
{
    const bool staged = state->making.job.values.staged;
    if (staged && !digest_wait(state->digest, failure))
        return false;
    text_set(letter, LETTER_IDENTITY, staged ? state->identity : NULL);
    text_set(letter, LETTER_DIGEST, staged ? digest_known(state->digest) : NULL);
    return true;
}

bool execution_joining_begin(struct execution_state *state, struct failure *failure)
{
    const struct execution *execution = state->execution;
    const struct job *job = &state->making.job;
    const struct letter_job told = {.tasks = job->setup.tasks,
                                    .input = job->setup.input,
                                    .largest_package = state->decider.largest,
                                    .buffers = plan_buffers(execution->plan),
                                    .patience_s = execution->patience_s};
    struct letter letter;
    char method[JOB_METHOD_SIZE];
    size_t size;
    double *numbers = letter_numbers(&job->values, &size);
    job_method(job, method, sizeof method);
    texts_fill(state, method, &letter);
    part_set(&letter, LETTER_VALUES, numbers, size);
    part_set(&letter, LETTER_JOB, &told, sizeof told);
    part_set(&letter, LETTER_SHARED, job->shared, job->setup.shared_size);
    const bool good = numbers
                          ? staged_fill(state, &letter, failure) &&
                                joining_begin(&state->joining, execution->comm, execution->command,
                                              &letter, execution->joins, failure)
                          : failure_memory(failure, "preparing for workers that join");
    free(numbers);
    state->joining.quiet = execution->quiet;
    /* In a job that sleeps, a worker takes the profile's costs for its number, on any machine. */
    state->joining.profile = execution_sleeps(state) ? NULL : execution->profile;
    return good;
}
