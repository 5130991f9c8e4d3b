#include "spmd/run/resume.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "spmd/launch/output_lock.h"
#include "spmd/protocol/message.h"
#include "spmd/resume/remaining_plan.h"
#include "spmd/transport/bundle.h"
#include "spmd/transport/wire.h"

/* ---- what is left -------------------------------------------------------------------------- */

/* Local to the master. */
static bool file_look(struct resume *resume, const struct resume_setup *setup,
                      struct failure *failure)
{
    struct remaining *remaining = &resume->remaining;
    resume->on = access(setup->path, F_OK) == 0;
    if (!resume->on)
        return true;
    resume->lock = output_lock(setup->path, failure);
    if (resume->lock < 0 || !remaining_read(remaining, setup->path, &setup->wanted, failure))
        return false;
    resume->places = remaining->places;
    return true;
}

/* Local to the master. */
static bool left_find(struct resume *resume, const struct resume_setup *setup,
                      const struct intact_damage *damage, struct failure *failure)
{
    struct remaining *remaining = &resume->remaining;
    if (!remaining_settle(remaining, setup->path, damage, failure))
        return false;
    resume->left = remaining->left;
    resume->by_plan = remaining->left - remaining->suspect_tasks;
    resume->complete = remaining->complete && remaining->left == 0;
    resume->slots = remaining->slots;
    resume->workers = setup->comm->size - 1;
    const int writing = resume->workers + setup->computes;
    if (remaining->state && remaining->slots < writing && !setup->collects)
        resume->workers -= writing - remaining->slots;
    remaining->workers = resume->workers;
    return true;
}

/* ---- does it hold what was written? -------------------------------------------------------- */

/* Local. This rank's share of `count`. */
static struct task_range share_of(const struct resume_setup *setup, int64_t count)
{
    const struct comm *comm = setup->comm;
    if (setup->collects)
        return (struct task_range){0, setup->leads ? count : 0};
    return resume_share(count, comm->size, comm->rank);
}

enum { PIECES = 100 }; /* of a share: between two of them others see that this rank lives */

static bool job_box(const void *self, int64_t task, int64_t start[3], int64_t count[3])
{
    struct failure none = FAILURE_INIT;
    return job_place(self, task, start, count, &none);
}

/* Its emitted files are to be closed. */
static struct intact_subject subject_of(const struct resume *resume,
                                        const struct resume_setup *setup, struct failure *failure)
{
    const struct job *job = setup->wanted.job;
    const bool reads = setup->leads || !setup->collects;
    const char *emitted = reads ? resume->emitted : NULL;
    struct intact_subject subject = {
        .path = setup->path,
        .places = resume->places,
        .record_size = job->record_size,
        .number_type = job->results.grid_type,
        .box = job_box,
        .self = job,
        .emitted = emitted ? emitted_open(emitted, setup->path, failure) : NULL,
        .contents = !setup->trust && resume->places.digests > 0};
    memcpy(subject.extent, job->results.grid_extent, sizeof subject.extent);
    return subject;
}

/* Local. */
static bool share_compare(const struct resume_setup *setup, const struct intact_subject *subject,
                          struct intact_damage *damage, struct failure *failure)
{
    const struct comm *comm = setup->comm;
    const struct task_range share = share_of(setup, setup->wanted.job->setup.tasks);
    bool good = failure->code == FAILURE_NONE;
    for (int k = 0; good && k < PIECES; k++) {
        const struct task_range piece = resume_share(share.count, PIECES, k);
        comm_look(comm);
        good = piece.count == 0 ||
               intact_compare(subject, share.first + piece.first, piece.count, damage, failure);
    }
    return good;
}

/* Local to the master. Adds what that worker has found to its own. */
static void damage_receive(const struct comm *comm, int peer, struct intact_damage *damage,
                           struct failure *failure)
{
    struct wire_damage found;
    comm_receive(comm, &found, sizeof found, peer, WIRE_DAMAGE);
    if (found.failure.code != FAILURE_NONE)
        failure_set(failure, found.failure.code, "%s", found.failure.text);
    if (found.count == 0)
        return;
    struct bundle bundle = {0};
    bundle_room(&bundle, (size_t)found.count * sizeof(struct task_range), comm);
    comm_receive(comm, bundle.bytes, bundle.size, peer, WIRE_DAMAGE);
    for (int64_t k = 0; k < found.count; k++) {
        struct task_range range;
        bundle_take(&bundle, &range, sizeof range);
        if (!intact_damage_add(damage, range))
            failure_memory(failure, "comparing results with their digests");
    }
    bundle_release(&bundle);
}

/* Local to a worker. */
static void damage_send(const struct comm *comm, const struct intact_damage *damage,
                        const struct failure *failure)
{
    const bool good = failure->code == FAILURE_NONE;
    const struct wire_damage found = {*failure, good ? damage->count : 0};
    comm_send(comm, &found, sizeof found, 0, WIRE_DAMAGE);
    if (found.count > 0)
        comm_send(comm, damage->ranges, (size_t)found.count * sizeof *damage->ranges, 0,
                  WIRE_DAMAGE);
}

/* Local to the master. */
static void damage_tell(const struct resume_setup *setup, const struct intact_damage *damage)
{
    struct text which = TEXT_INIT;
    if (damage->tasks == 0)
        return;
    intact_damage_tell(damage, &which);
    fprintf(stderr,
            "%s: %s: the results of %" PRId64
            " core task%s are not what was written (%s): done again%s\n",
            setup->command, setup->path, damage->tasks, damage->tasks == 1 ? "" : "s",
            which.bytes ? which.bytes : "?",
            setup->wanted.job->state_size > 0 ? ", with all others, because they share one result"
                                              : "");
    text_release(&which);
}

/* What all ranks compare together if the run was complete: its picture. */
struct picture_check {
    bool wanted;
    double minimum, maximum; /* of the grid's numbers */
};

/* Local. Is this rank's share of the picture as it follows from results? */
static bool picture_compare(const struct resume_setup *setup, const struct intact_subject *subject,
                            const struct picture_check *check)
{
    const int64_t *extent = subject->extent;
    const struct task_range share = share_of(setup, extent[0] * extent[1] * extent[2]);
    bool same = true;
    for (int k = 0; same && k < PIECES; k++) {
        const struct task_range piece = resume_share(share.count, PIECES, k);
        comm_look(setup->comm);
        same = intact_picture(subject, share.first + piece.first, piece.count, check->minimum,
                              check->maximum);
    }
    return same;
}

/* Local to the master. Checks what is made when everything is done; where it differs it is made
 * again. */
static void picture_lead(struct resume *resume, const struct resume_setup *setup,
                         const struct intact_subject *subject, const struct picture_check *check)
{
    bool same = picture_compare(setup, subject, check);
    for (int peer = 1; peer <= setup->peers; peer++) {
        bool shares;
        comm_receive(setup->comm, &shares, sizeof shares, peer, WIRE_DAMAGE);
        same = same && shares;
    }
    if (same)
        return;
    resume->complete = resume->remaining.complete = false;
    fprintf(stderr, "%s: %s: its picture is not that of its results: it is made again\n",
            setup->command, setup->path);
}

/* Local to a worker. */
static void picture_follow(const struct resume_setup *setup, const struct intact_subject *subject,
                           const struct picture_check *check)
{
    const bool same = picture_compare(setup, subject, check);
    comm_send(setup->comm, &same, sizeof same, 0, WIRE_DAMAGE);
}

/* Local to the master. Collects what all ranks have found, and finds what is left then. */
static void damage_lead(struct resume *resume, const struct resume_setup *setup,
                        struct intact_damage *damage, struct failure *failure)
{
    for (int peer = 1; peer <= setup->peers; peer++)
        damage_receive(setup->comm, peer, damage, failure);
    if (failure->code != FAILURE_NONE)
        return;
    damage_tell(setup, damage);
    left_find(resume, setup, damage, failure);
}

/* Collective. Compares results with their digests, and finds what is left. */
static bool damage_find(struct resume *resume, const struct resume_setup *setup,
                        struct failure *failure)
{
    const bool leads = setup->leads;
    struct intact_damage damage = {.count = 0};
    struct intact_subject subject = subject_of(resume, setup, failure);
    struct bundle bundle = {0};
    struct picture_check check = {false, resume->remaining.minimum, resume->remaining.maximum};
    share_compare(setup, &subject, &damage, failure);
    if (leads)
        damage_lead(resume, setup, &damage, failure);
    else
        damage_send(setup->comm, &damage, failure);
    check.wanted = resume->complete && subject.contents && subject.places.normalized > 0;
    bundle_put(&bundle, &check, sizeof check);
    const bool good = bundle_share(&bundle, setup->comm, failure);
    if (good)
        bundle_take(&bundle, &check, sizeof check);
    if (good && check.wanted && leads)
        picture_lead(resume, setup, &subject, &check);
    else if (good && check.wanted)
        picture_follow(setup, &subject, &check);
    bundle_release(&bundle);
    intact_damage_release(&damage);
    emitted_close(&subject.emitted);
    return good;
}

/* The profile in the output; false: there is none that can be read. */
static bool kept_profile(const struct resume *resume, struct profile *profile)
{
    struct failure unreadable = FAILURE_INIT;
    const char *text = resume->remaining.profile;
    return text && profile_parse(profile, text, strlen(text), "", &unreadable);
}

/* Local to the master. Ranks for which the output has no room stay idle, and only one master knows
 * on which core tasks workers were lost before: a group would have to lose as many again. */
static bool is_for_one(const struct resume *resume, const struct resume_setup *setup)
{
    const bool suspects = resume->remaining.suspect_count > 0;
    return resume->workers < setup->comm->size - 1 ||
           (suspects && setup->wanted.plan->child_count > 0);
}

/* Local to the master. Where workers join during the run there is room for many more than will ever
 * be there: the plan is made for as many as the one before. */
static int64_t workers_planned(const struct resume *resume, const struct resume_setup *setup)
{
    const int64_t planned = plan_workers_needed(setup->wanted.plan);
    return setup->joins && planned < resume->workers ? planned : resume->workers;
}

/* Local to the master. Owned; NULL: nothing is left to be planned, or *failure is set. */
static char *rest_text(const struct resume *resume, const struct resume_setup *setup,
                       struct failure *failure)
{
    const struct remaining_request request = {
        .plan = setup->wanted.plan,
        .tasks = resume->by_plan > 0 ? resume->by_plan : resume->left,
        .workers = workers_planned(resume, setup),
        .ranges = resume->by_plan > 0 ? resume->remaining.ranges : NULL,
        .range_count = resume->remaining.range_count,
        .single = is_for_one(resume, setup),
    };
    struct profile kept;
    if (resume->left == 0)
        return NULL;
    if (setup->profile || !kept_profile(resume, &kept))
        return remaining_plan(&request, setup->profile, failure);
    char *text = remaining_plan(&request, &kept, failure);
    profile_release(&kept);
    return text;
}

/* Collective. Gives what the master has found in the file to every rank. */
static bool found_share(struct resume *resume, const struct resume_setup *setup,
                        struct failure *failure)
{
    struct bundle bundle = {0};
    size_t length;
    if (setup->leads) {
        const char *emitted = resume->remaining.emitted;
        bundle_put(&bundle, &resume->on, sizeof resume->on);
        bundle_put(&bundle, &resume->places, sizeof resume->places);
        bundle_put_text(&bundle, emitted, emitted ? strlen(emitted) : 0);
    }
    const bool good = bundle_share(&bundle, setup->comm, failure);
    if (good && !setup->leads) {
        bundle_take(&bundle, &resume->on, sizeof resume->on);
        bundle_take(&bundle, &resume->places, sizeof resume->places);
        resume->emitted = bundle_take_text(&bundle, &length, failure);
    } else if (good) {
        resume->emitted = resume->remaining.emitted;
        resume->remaining.emitted = NULL;
    }
    bundle_release(&bundle);
    return good;
}

/* What every rank must know of what is left, besides the plan for it. */
struct left {
    bool complete;
    int workers, slots;
    int64_t left, by_plan;
};

static void left_take(struct resume *resume, const struct left *left)
{
    resume->complete = left->complete;
    resume->workers = left->workers;
    resume->slots = left->slots;
    resume->left = left->left;
    resume->by_plan = left->by_plan;
}

/* Collective. Where several masters go on, each must know what is left, and which losses are noted
 * already. */
static bool ranges_share(struct resume *resume, const struct resume_setup *setup,
                         struct failure *failure)
{
    struct remaining *remaining = &resume->remaining;
    struct bundle bundle = {0};
    if (setup->leads) {
        bundle_put(&bundle, &resume->lost_noted, sizeof resume->lost_noted);
        bundle_put(&bundle, &remaining->range_count, sizeof remaining->range_count);
        bundle_put(&bundle, remaining->ranges,
                   (size_t)remaining->range_count * sizeof *remaining->ranges);
    }
    bool good = bundle_share(&bundle, setup->comm, failure);
    if (good && !setup->leads) {
        bundle_take(&bundle, &resume->lost_noted, sizeof resume->lost_noted);
        bundle_take(&bundle, &remaining->range_count, sizeof remaining->range_count);
        const size_t bytes = (size_t)remaining->range_count * sizeof *remaining->ranges;
        remaining->ranges = malloc(bytes + 1);
        if (remaining->ranges)
            bundle_take(&bundle, remaining->ranges, bytes);
        else
            failure_memory(failure, "going on with a run");
    }
    bundle_release(&bundle);
    return good;
}

/* Collective. Gives the master's knowledge of what is left, and the plan for it, to every rank. */
static bool left_share(struct resume *resume, const struct resume_setup *setup,
                       struct failure *failure)
{
    struct bundle bundle = {0};
    struct left left = {resume->complete, resume->workers, resume->slots, resume->left,
                        resume->by_plan};
    size_t length = 0;
    resume->lost_noted = resume->remaining.lost_count;
    if (setup->leads) {
        resume->plan_text = resume->on ? rest_text(resume, setup, failure) : NULL;
        length = resume->plan_text ? strlen(resume->plan_text) : 0;
        bundle_put(&bundle, &left, sizeof left);
        bundle_put_text(&bundle, resume->plan_text, length);
    }
    const bool good = bundle_share(&bundle, setup->comm, failure);
    if (good && !setup->leads) {
        bundle_take(&bundle, &left, sizeof left);
        left_take(resume, &left);
        resume->plan_text = bundle_take_text(&bundle, &length, failure);
    }
    if (good && resume->plan_text)
        plan_parse_any(&resume->plan, resume->plan_text, length, "the plan of what is left",
                       failure);
    bundle_release(&bundle);
    const bool several = resume->plan.star_count > 0 || resume->plan.child_count > 0;
    return good && (!several || ranges_share(resume, setup, failure));
}

bool resume_init(struct resume *resume, const struct resume_setup *setup, struct failure *failure)
{
    *resume = (struct resume){.lock = -1};
    if (setup->leads)
        file_look(resume, setup, failure);
    if (!found_share(resume, setup, failure))
        return false;
    if (resume->on && !damage_find(resume, setup, failure))
        return false;
    return left_share(resume, setup, failure);
}

void resume_release(struct resume *resume)
{
    remaining_release(&resume->remaining);
    plan_release(&resume->plan);
    free(resume->plan_text);
    free(resume->emitted);
    if (resume->on && resume->lock >= 0)
        close(resume->lock);
    *resume = (struct resume){.lock = -1};
}

/* ---- what is kept -------------------------------------------------------------------------- */

struct task_range resume_share(int64_t tasks, int64_t shares, int64_t which)
{
    const int64_t each = tasks / shares, more = tasks % shares;
    const int64_t first = which * each + (which < more ? which : more);
    return (struct task_range){first, each + (which < more)};
}

/* Local. In pieces, between which other ranks see that this one lives. */
static bool share_sum(const struct resume *resume, const struct resume_setup *setup,
                      struct summary *mine, struct failure *failure)
{
    const struct comm *comm = setup->comm;
    const struct job *job = setup->wanted.job;
    const struct task_range share = share_of(setup, job->setup.tasks);
    bool good = failure->code == FAILURE_NONE;
    for (int k = 0; good && k < PIECES; k++) {
        const struct task_range piece = resume_share(share.count, PIECES, k);
        comm_look(comm);
        good = piece.count == 0 ||
               remaining_sum(setup->path, job, &resume->places, share.first + piece.first,
                             piece.count, mine, failure);
    }
    return good;
}

/* Ranges between core tasks that were done before divide planned packages into more. How many a
 * rule assigns is known only at the end. */
static struct part_info part_of(const struct resume *resume, const struct resume_setup *setup)
{
    const char *now = setup->profile_text, *then = resume->remaining.profile;
    struct part_info part = setup->part;
    part.plan = resume->plan_text;
    part.profile = now && then && strcmp(now, then) == 0 ? NULL : now;
    part.events = part.rule || part.surveyed
                      ? 1
                      : (plan_packages(&resume->plan) + resume->remaining.range_count) *
                            RUN_EVENTS_PER_PACKAGE;
    return part;
}

bool resume_begin(struct resume *resume, const struct resume_setup *setup, struct failure *failure)
{
    const struct part_info part = part_of(resume, setup);
    return remaining_mend(&resume->remaining, setup->path, &part, failure);
}

bool resume_sum(struct resume *resume, const struct resume_setup *setup, struct failure *failure)
{
    struct wire_kept kept;
    summary_init(&resume->before);
    share_sum(resume, setup, &resume->before, failure);
    for (int peer = 1; peer <= setup->peers; peer++) {
        comm_receive(setup->comm, &kept, sizeof kept, peer, WIRE_KEPT);
        if (kept.failure.code != FAILURE_NONE)
            failure_set(failure, kept.failure.code, "%s", kept.failure.text);
        summary_merge(&resume->before, &kept.summary);
    }
    return failure->code == FAILURE_NONE;
}

bool resume_sum_share(const struct resume *resume, const struct resume_setup *setup,
                      struct failure *failure)
{
    struct wire_kept kept;
    memset(&kept, 0, sizeof kept);
    summary_init(&kept.summary);
    share_sum(resume, setup, &kept.summary, failure);
    kept.failure = *failure;
    comm_send(setup->comm, &kept, sizeof kept, 0, WIRE_KEPT);
    return failure->code == FAILURE_NONE;
}

struct dispatch *resume_dispatch(const struct resume *resume, struct dispatch *inner,
                                 struct failure *failure)
{
    const struct remaining *remaining = &resume->remaining;
    struct dispatch *dispatch = NULL;
    if (resume->by_plan > 0) {
        dispatch =
            dispatch_new_ranges(inner, remaining->ranges, remaining->range_count, resume->workers);
    } else {
        dispatch_free(&inner);
        dispatch = dispatch_new_list(NULL, 0, resume->workers, 1);
    }
    if (!dispatch)
        failure_memory(failure, "assigning what is left");
    return dispatch;
}

bool resume_suspects(const struct resume *resume, struct dispatch *recovery,
                     struct failure *failure)
{
    const struct remaining *remaining = &resume->remaining;
    for (int64_t k = 0; k < remaining->suspect_count; k++)
        if (!dispatch_recovery_suspect(recovery, remaining->suspects[k].range,
                                       remaining->suspects[k].losses))
            return failure_memory(failure, "assigning what is left");
    return true;
}

void resume_tell(const struct resume *resume, struct run_outcome *outcome)
{
    const struct remaining *remaining = &resume->remaining;
    for (int64_t k = 0; k < remaining->lost_count; k++) {
        struct rejection rejection = {
            .task = order_task(&remaining->job->order, remaining->lost[k].first)};
        losses_tell(&remaining->lost[k], rejection.why, sizeof rejection.why);
        if (remaining->lost[k].given_up)
            rejection_keep(outcome, &rejection);
    }
}

void resume_join(const struct resume *resume, const struct job *job, struct run_outcome *outcome)
{
    const void *state = resume->remaining.state;
    if (resume->left == 0)
        summary_init(&outcome->summary); /* no run has initialised it */
    summary_merge(&outcome->summary, &resume->before);
    resume_tell(resume, outcome);
    if (!state)
        return;
    if (!outcome->state) {
        outcome->state = calloc(1, job->state_size);
        if (outcome->state)
            job->task->reset(job->opened, outcome->state);
    }
    if (outcome->state)
        job->task->merge(job->opened, outcome->state, state);
}
