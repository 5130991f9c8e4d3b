/* What people are told while a calibration goes on. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "calibrate/session.h"
#include "planner/base/duration.h"

/* What a rank has computed so far, and in how long. */
struct pace {
    double seconds, tasks;
};

/* The worker that computes the slowest, by all timings of the setting so far. */
static void slowest_find(struct session *session)
{
    const int workers = session->comm->size - 1;
    const struct samples *samples = &session->result->samples;
    struct pace *paces = calloc((size_t)workers + 1, sizeof *paces); /* by rank */
    struct pace all = {0, 0};
    session->seen = samples->count;
    session->slowest = -1;
    for (int64_t i = 0; paces && i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        if (sample->setting != session->setting || sample->operation != OPERATION_COMPUTE)
            continue;
        paces[sample->rank].seconds += sample->seconds;
        paces[sample->rank].tasks += (double)sample->tasks;
        all.seconds += sample->seconds;
        all.tasks += (double)sample->tasks;
    }
    for (int rank = 1; paces && workers > 1 && all.seconds > 0 && rank <= workers; rank++) {
        const struct pace *own = &paces[rank];
        const double excess =
            own->tasks > 0 ? own->seconds / own->tasks * all.tasks / all.seconds - 1 : -1;
        if (session->slowest < 0 || excess > session->slowest_excess) {
            session->slowest = rank - 1;
            session->slowest_excess = excess;
        }
    }
    free(paces);
}

void session_tell(void *self, int pass, int passes, double left_s)
{
    struct session *session = self;
    const double elapsed_s = comm_now(session->comm) - session->begun_s;
    char text[360], middle[160], brief[80], setting[64] = "", at[64] = "finding package sizes",
                                            slowest[64] = "";
    char passed[DURATION_SIZE], left[DURATION_SIZE];
    if (!progress_due(&session->progress, elapsed_s))
        return;
    if (session->result->samples.count != session->seen)
        slowest_find(session);
    const double all_left_s = left_s + session->later_s;
    if (session_settings(session) > 1)
        snprintf(setting, sizeof setting, "setting %d of %d, ", session->setting + 1,
                 session_settings(session));
    if (pass >= 0)
        snprintf(at, sizeof at, "pass %d of %d", pass + 1, passes);
    if (session->slowest >= 0)
        snprintf(slowest, sizeof slowest, "; slowest %.40s at %+.0f %%",
                 session->names[session->slowest], 100 * session->slowest_excess);
    const double share = 100 * elapsed_s / fmax(elapsed_s + all_left_s, 1e-9);
    duration_print(elapsed_s, passed);
    duration_print(all_left_s, left);
    snprintf(text, sizeof text, "probing, %s%s (%.0f %%), %" PRId64 " timings, %s, %s left%s",
             setting, at, share, session->result->samples.count, passed, left, slowest);
    snprintf(middle, sizeof middle, "probing, %s (%.0f %%), %s, %s left", at, share, passed, left);
    snprintf(brief, sizeof brief, "probing (%.0f %%), %s left", share, left);
    const char *const texts[] = {text, middle, brief};
    progress_line(&session->progress, texts, sizeof texts / sizeof *texts, elapsed_s);
}

void session_say(void *self, const char *sentence)
{
    const struct session *session = self;
    if (!session->request->quiet)
        fprintf(stderr, "scow calibrate: %s\n", sentence);
}
