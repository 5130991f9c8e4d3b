/*
 * Copies of what is overdue: backup tasks, as in Dean and Ghemawat, MapReduce (2004), section 3.6.
 *
 * A worker is overdue when its oldest package takes much longer than its earlier ones, or than
 * expected. All packages that it has are then handed out once more, the newest first, because the
 * worker comes to that one last; they are divided like what comes back after a loss. A package and
 * its copies are a group. The first result decides: after that of the original no copy counts;
 * after that of a copy the original does not count, and all copies are needed.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "planner/base/array.h"
#include "planner/base/json_text.h"
#include "planner/dispatch/deadline.h"
#include "planner/dispatch/recovery_parts.h"

/* However short packages are, none is overdue by less than this; and this is the shortest time
 * between two looks. */
static const double least_s = 0.05, look_least_s = 0.01;
/* A long package is overdue, too, after this share of the run so far, or after so many standard
 * deviations of packages from their workers' earlier ones, if the worker could have done another
 * core task in that time: waiting any longer would lose more than an unneeded copy costs. */
static const double elapsed_share = 0.02, deviations = 4;
/* Latencies are at most this share of the time of a package's core tasks. */
static const double latency_share = 0.25;
/* Packages are expected to be off by this much at most, or by less if those of this run have been.
 * If an additional package costs less than that, a worker that ends together with others gets half
 * of its share first. */
static const double off_most = 0.1;

struct recovery_copies {
    struct deadline pace; /* times of the workers */
    bool *late; /* owned; per worker: copies of its packages were made, and it has reported nothing
                   since */
    const struct recovery_entry **oldest; /* owned; per worker, while it is looked for */
    struct dispatch_copied *groups;       /* owned */
    size_t count, capacity;
    double longer;         /* the share by which packages had to be late at the last look */
    double look_s;         /* until then nothing is overdue, */
    double looked_s;       /* as far as was known then */
    double due_s;          /* HUGE_VAL: no worker could take a copy */
    double together_s;     /* the workers can have done by then what came back, */
    int64_t together_left; /* as long as so many core tasks of it are left */
};

bool dispatch_recovery_copy(struct dispatch *recovery, const struct deadline_setup *setup)
{
    struct dispatch_recovery *self = (struct dispatch_recovery *)recovery;
    struct recovery_copies *copies = calloc(1, sizeof *copies);
    self->copies = copies;
    if (!copies)
        return false;
    copies->late = calloc((size_t)self->workers, sizeof *copies->late);
    copies->oldest = calloc((size_t)self->workers, sizeof(void *));
    copies->due_s = HUGE_VAL;
    return deadline_init(&copies->pace, setup) && copies->late && copies->oldest;
}

void recovery_copies_free(struct dispatch_recovery *self)
{
    if (!self->copies)
        return;
    deadline_release(&self->copies->pace);
    free(self->copies->late);
    free((void *)self->copies->oldest);
    free(self->copies->groups);
    free(self->copies);
    self->copies = NULL;
}

const struct dispatch_copied *dispatch_recovery_copied(const struct dispatch *recovery,
                                                       size_t *count)
{
    const struct recovery_copies *copies = ((const struct dispatch_recovery *)recovery)->copies;
    *count = copies ? copies->count : 0;
    return copies ? copies->groups : NULL;
}

void dispatch_copied_tell(const struct dispatch *recovery, struct text *text)
{
    size_t count;
    int64_t copies = 0, first[DISPATCH_COPY_FIRST + 1] = {0};
    const struct dispatch_copied *copied = dispatch_recovery_copied(recovery, &count);
    for (size_t k = 0; k < count; k++) {
        copies += copied[k].copies;
        first[copied[k].first]++;
    }
    if (count > 0)
        text_add(text,
                 "copies      %" PRId64 " handed out for %zu overdue package%s; %" PRId64
                 " done first by copies, %" PRId64 " by their own workers\n",
                 copies, count, count > 1 ? "s" : "", first[DISPATCH_COPY_FIRST],
                 first[DISPATCH_ORIGINAL_FIRST]);
}

void dispatch_copied_json(const struct dispatch *recovery, double begun_s, int64_t before,
                          struct text *text)
{
    static const char *const words[] = {"none", "original", "copies"};
    size_t count;
    const struct dispatch_copied *copied = dispatch_recovery_copied(recovery, &count);
    if (count == 0)
        return;
    struct json_text json = json_open(text, "[", ", ");
    for (size_t k = 0; k < count; k++) {
        struct json_text row = json_open_in(&json, NULL, "{", ", ");
        json_count(&row, "package", copied[k].package.index);
        json_count(&row, "worker", before + copied[k].package.worker);
        json_count(&row, "first", copied[k].package.first);
        json_count(&row, "tasks", copied[k].package.count);
        json_number(&row, "overdue_s", begun_s + copied[k].overdue_s);
        json_count(&row, "copies", copied[k].copies);
        json_word(&row, "counts", words[copied[k].first]);
        json_close(&row, "}");
    }
    json_close(&json, "]");
}

static struct dispatch_copied *group_of(const struct dispatch_recovery *self, size_t group)
{
    return &self->copies->groups[group - 1];
}

/* ---- what counts ----------------------------------------------------------------------------- */

bool recovery_copies_void(const struct dispatch_recovery *self, const struct recovery_entry *entry)
{
    if (entry->group == 0)
        return false;
    return group_of(self, entry->group)->first ==
           (entry->copy ? DISPATCH_ORIGINAL_FIRST : DISPATCH_COPY_FIRST);
}

bool recovery_is_awaited(const struct dispatch_recovery *self)
{
    for (size_t k = 0; k < self->out.count; k++)
        if (!recovery_copies_void(self, &self->out.items[k]))
            return true;
    return false;
}

/* Removes what is not handed out of that group; returns how many core tasks. */
static int64_t list_forget(struct recovery_list *list, size_t group)
{
    size_t kept = 0;
    int64_t tasks = 0;
    for (size_t k = 0; k < list->count; k++) {
        if (list->items[k].group == group)
            tasks += list->items[k].package.count;
        else
            list->items[kept++] = list->items[k];
    }
    list->count = kept;
    return tasks;
}

bool recovery_copies_claim(struct dispatch_recovery *self, struct recovery_entry *entry)
{
    if (recovery_copies_void(self, entry))
        return false;
    entry->claimed = true;
    if (entry->group == 0)
        return true;
    group_of(self, entry->group)->first =
        entry->copy ? DISPATCH_COPY_FIRST : DISPATCH_ORIGINAL_FIRST;
    if (!entry->copy) {
        self->returned_tasks -= list_forget(&self->returned, entry->group);
        list_forget(&self->suspects, entry->group);
    }
    return true;
}

bool recovery_copies_drop(struct dispatch_recovery *self, const struct recovery_entry *entry)
{
    if (entry->group == 0)
        return false;
    if (!entry->copy && !recovery_copies_void(self, entry))
        group_of(self, entry->group)->first =
            DISPATCH_COPY_FIRST; /* the original will not come any more */
    return recovery_copies_void(self, entry);
}

/* ---- who is overdue -------------------------------------------------------------------------- */

bool recovery_copies_late(const struct dispatch_recovery *self, int64_t worker)
{
    return self->copies && self->copies->late[worker];
}

void recovery_copies_lost(struct dispatch_recovery *self, int64_t worker)
{
    if (self->copies)
        self->copies->late[worker] = false;
}

void recovery_copies_sent(struct dispatch_recovery *self, const struct package *package,
                          size_t group, double now_s)
{
    if (!self->copies)
        return;
    deadline_sent(&self->copies->pace, package->worker, package->count, now_s);
    if (group > 0)
        group_of(self, group)->copies++;
}

/* The group's original; NULL: no worker has it, or the inner dispatch does not wait for it. */
static struct recovery_entry *original_find(const struct dispatch_recovery *self, size_t group)
{
    for (size_t k = 0; k < self->out.count; k++) {
        struct recovery_entry *entry = &self->out.items[k];
        if (entry->group == group && !entry->copy)
            return entry->original.count > 0 ? entry : NULL;
    }
    return NULL;
}

/* Tells the inner dispatch of what copies have done, all of it with the last one: as if the
 * original's worker had worked for as long as theirs. */
static struct recovery_told copied_tell(struct dispatch_recovery *self,
                                        const struct recovery_entry *copy, double seconds,
                                        double end_s)
{
    struct dispatch_copied *group = group_of(self, copy->group);
    struct recovery_told told = {.start_s = 0};
    group->left -= copy->package.count;
    group->worked_s += seconds;
    struct recovery_entry *original = group->left == 0 ? original_find(self, copy->group) : NULL;
    if (!original)
        return told;
    told = (struct recovery_told){original->package, original->original, end_s - group->worked_s};
    original->original.count = 0;
    return told;
}

struct recovery_told recovery_copies_done(struct dispatch_recovery *self,
                                          const struct recovery_entry *entry, double start_s,
                                          double end_s)
{
    const struct package *package = &entry->package;
    if (!self->copies)
        return (struct recovery_told){.start_s = 0};
    deadline_done(&self->copies->pace, package->worker, package->count, start_s, end_s);
    if (self->copies->late[package->worker])
        dispatch_late(self->inner, package->worker, false);
    self->copies->late[package->worker] = false;
    self->copies->look_s = fmin(self->copies->look_s, self->copies->looked_s + look_least_s);
    return entry->copy && entry->claimed ? copied_tell(self, entry, end_s - start_s, end_s)
                                         : (struct recovery_told){.start_s = 0};
}

static void oldest_find(struct dispatch_recovery *self)
{
    const struct recovery_entry **oldest = self->copies->oldest;
    for (int64_t k = 0; k < self->workers; k++)
        oldest[k] = NULL;
    for (size_t k = 0; k < self->out.count; k++) {
        const struct recovery_entry *entry = &self->out.items[k];
        const struct recovery_entry **at = &oldest[entry->package.worker];
        if (entry->claimed)
            continue;
        if (!*at || entry->package.index < (*at)->package.index)
            *at = entry;
    }
}

/* The worker's oldest package that is not copied and may be; NULL: there is none. */
static struct recovery_entry *entry_oldest(const struct dispatch_recovery *self, int64_t worker)
{
    struct recovery_entry *found = NULL;
    for (size_t k = 0; k < self->out.count; k++) {
        struct recovery_entry *entry = &self->out.items[k];
        if (entry->package.worker == worker && entry->group == 0 && entry->losses == 0 &&
            !entry->claimed && (!found || entry->package.index < found->package.index))
            found = entry;
    }
    return found;
}

/* Makes copies of all packages of the worker. False: out of memory. */
static bool worker_copy(struct dispatch_recovery *self, int64_t worker, double now_s)
{
    struct recovery_copies *copies = self->copies;
    for (struct recovery_entry *entry; (entry = entry_oldest(self, worker));) {
        struct dispatch_copied *groups =
            array_reserve(copies->groups, &copies->capacity, copies->count + 1, sizeof *groups);
        if (!groups)
            return false;
        copies->groups = groups;
        groups[copies->count++] = (struct dispatch_copied){
            .package = entry->package, .overdue_s = now_s, .left = entry->package.count};
        entry->group = copies->count;
        if (!copies->late[worker])
            dispatch_late(self->inner, worker, true);
        copies->late[worker] = true;
        recovery_return_copy(self, &entry->package, entry->group);
    }
    return true;
}

int64_t recovery_copies_least(const struct dispatch_recovery *self, int64_t tasks)
{
    const struct deadline_setup *setup = self->copies ? &self->copies->pace.setup : NULL;
    int64_t worker = 0;
    while (worker < self->workers - 1 && self->lost[worker])
        worker++;
    if (!setup || !setup->cost || tasks < 1)
        return tasks;
    const struct cost cost = deadline_package(&self->copies->pace, worker, tasks);
    const double times = cost.latency_s / (latency_share * cost.s_per_task * (double)tasks);
    return times > 1 && isfinite(times) ? (int64_t)ceil(times * (double)tasks) : tasks;
}

/* Sums over the workers that have done what they have before `end_s`, and could then do more. */
struct share_sums {
    double rate;  /* core tasks per second, */
    double later; /* core tasks that they could do from now_s until they can begin */
};

/* Each worker takes its share in so many packages. */
static struct share_sums share_sum(const struct dispatch_recovery *self, int64_t tasks,
                                   int packages, double now_s, double end_s)
{
    const struct deadline *pace = &self->copies->pace;
    struct share_sums sums = {0, 0};
    for (int64_t k = 0; k < self->workers; k++) {
        if (self->lost[k] || self->copies->late[k])
            continue;
        const struct cost cost = deadline_package(pace, k, tasks);
        const double from_s = deadline_free_s(pace, k, now_s) + packages * cost.latency_s;
        if (!(cost.s_per_task > 0) || from_s >= end_s)
            continue;
        sums.rate += 1 / cost.s_per_task;
        sums.later += (from_s - now_s) / cost.s_per_task;
    }
    return sums;
}

/* When all that came back can be done; HUGE_VAL: not known. */
static double together_find(const struct dispatch_recovery *self, int64_t tasks, int packages,
                            double now_s)
{
    const double left = (double)self->returned_tasks;
    double end_s = HUGE_VAL;
    for (double before_s = 0; end_s != before_s;) { /* end_s only falls, so this ends */
        const struct share_sums sums = share_sum(self, tasks, packages, now_s, end_s);
        before_s = end_s;
        if (sums.rate > 0)
            end_s = fmin(end_s, now_s + (left + sums.later) / sums.rate);
    }
    return end_s;
}

/* The core tasks for which the worker has time until all end together. Where an additional package
 * costs little in comparison, it takes half of them first, then half of what is left, and so on: in
 * `packages` packages. */
struct share {
    double tasks;
    int packages;
};

static struct share share_of(const struct dispatch_recovery *self, int64_t worker, struct cost cost,
                             double now_s)
{
    enum { MOST = 10 };
    const double from_s = deadline_free_s(&self->copies->pace, worker, now_s) + cost.latency_s;
    const double left_s = self->copies->together_s - from_s;
    const double off = fmin(off_most, deviations * deadline_deviation(&self->copies->pace));
    struct share share = {left_s / cost.s_per_task, 1};
    while (share.packages < MOST && cost.latency_s < off * left_s / pow(2, share.packages))
        share.packages++;
    share.tasks -= (share.packages - 1) * cost.latency_s / cost.s_per_task;
    return share;
}

int64_t recovery_copies_share(const struct dispatch_recovery *self, int64_t worker, int64_t tasks,
                              double now_s)
{
    struct recovery_copies *copies = self->copies;
    if (tasks < 1)
        return tasks;
    const struct cost cost = deadline_package(&copies->pace, worker, tasks);
    struct share share = share_of(self, worker, cost, now_s);
    /* After one worker has taken its share, the others' shares stay as they are; they are computed
     * again when something else has changed, and for the last workers, for whom small differences
     * matter. */
    if (copies->together_left != self->returned_tasks || share.packages == 1 ||
        !(share.tasks >= (double)tasks)) {
        copies->together_s = together_find(self, tasks, 1, now_s);
        share = share_of(self, worker, cost, now_s);
        copies->together_s = together_find(self, tasks, share.packages, now_s);
        share = share_of(self, worker, cost, now_s);
    }
    const double wanted = ceil(share.packages > 1 ? share.tasks / 2 : share.tasks);
    const double left = (double)self->returned_tasks;
    const int64_t piece =
        isfinite(wanted) && wanted > (double)tasks ? (int64_t)fmin(wanted, left) : tasks;
    copies->together_left = self->returned_tasks - piece;
    return piece;
}

void recovery_copies_begin(struct dispatch_recovery *self)
{
    if (self->copies)
        self->copies->due_s = HUGE_VAL;
}

/* When the worker's oldest package will be overdue. Where others wait for its report (`longer` is
 * more than usual), the time of the run so far does not count. */
static double overdue_from_s(const struct recovery_copies *copies, int64_t worker, double now_s,
                             double longer)
{
    const int64_t tasks = copies->oldest[worker]->package.count;
    const double due_s = deadline_overdue_s(&copies->pace, worker, tasks, 0);
    const double late_s = deadline_overdue_s(&copies->pace, worker, tasks, longer);
    const double task_s = (late_s - due_s) / (longer * (double)tasks);
    const double noise = deviations * deadline_deviation(&copies->pace);
    const double noise_s = deadline_overdue_s(&copies->pace, worker, tasks, noise) - due_s;
    const double soon_s = due_s + fmax(fmin(elapsed_share * now_s, noise_s), task_s);
    return (longer > DISPATCH_COPY_MARGIN ? late_s : fmin(late_s, soon_s)) + least_s;
}

enum recovery_copying recovery_copies_make(struct dispatch_recovery *self, double now_s,
                                           double longer)
{
    struct recovery_copies *copies = self->copies;
    enum recovery_copying made = RECOVERY_COPIES_NONE;
    if (!copies || self->out.count == 0 || !recovery_is_idle(self))
        return made;
    if (longer < copies->longer)
        copies->look_s = 0;
    copies->longer = longer;
    copies->due_s = copies->look_s;
    if (now_s < copies->look_s)
        return made;
    oldest_find(self);
    copies->looked_s = now_s;
    double next_s = HUGE_VAL;
    for (int64_t k = 0; k < self->workers; k++) {
        if (!copies->oldest[k] || copies->late[k] || self->lost[k])
            continue;
        const double overdue_s = overdue_from_s(copies, k, now_s, longer);
        if (overdue_s > now_s)
            next_s = fmin(next_s, overdue_s);
        else if (!worker_copy(self, k, now_s))
            return RECOVERY_COPIES_OUT_OF_MEMORY;
        else if (copies->late[k])
            made = RECOVERY_COPIES_NEW;
    }
    copies->due_s = copies->look_s = fmax(next_s, now_s + look_least_s);
    return recovery_reserve(self) ? made : RECOVERY_COPIES_OUT_OF_MEMORY;
}

double recovery_copies_due_s(const struct dispatch_recovery *self)
{
    return self->copies ? self->copies->due_s : HUGE_VAL;
}
