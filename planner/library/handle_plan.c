#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/files/load.h"
#include "planner/files/plan_json.h"
#include "planner/library/handle.h"
#include "planner/model/plan_cursor.h"
#include "planner/studies/batch.h"
#include "planner/studies/comparison.h"
#include "planner/studies/pareto.h"
#include "planner/studies/sweep.h"

/* ---- requests ------------------------------------------------------------------------------ */

static bool numbers_check(const struct scow_plan_request *given, struct failure *failure)
{
    if (given->tasks < 1 || given->tasks > LIMIT_TASKS)
        return failure_set(failure, FAILURE_USAGE,
                           "tasks must be from 1 to %" PRId64 ", not %" PRId64
                           ": how many core tasks the job has",
                           (int64_t)LIMIT_TASKS, given->tasks);
    if (given->workers < 0 || given->block < 0 || given->buffers < 0)
        return failure_set(failure, FAILURE_USAGE,
                           "workers, block and buffers must not be negative: 0 means as usual");
    return true;
}

/* What a caller asks for. */
struct asked {
    struct plan_request request; /* borrows everything, also from this structure */
    struct waits waits;          /* owned */
};

static void asked_release(struct asked *asked)
{
    waits_release(&asked->waits);
}

static bool waits_take(const char *path, struct asked *asked, struct failure *failure)
{
    if (!path)
        return true;
    asked->request.waits = &asked->waits;
    return load_waits(path, &asked->waits, failure);
}

/* Checks the request as the command's options are checked. To be released also on failure. */
static bool request_check(const struct scow_profile *handle, const struct scow_plan_request *given,
                          struct asked *asked, struct failure *failure)
{
    struct scow_plan_request taken;
    *asked = (struct asked){.request = {.scheduler = SCHEDULER_AUTO}};
    if (!given)
        return failure_set(failure, FAILURE_USAGE, "no request is given: say what to plan");
    if (!structure_take(&taken, sizeof taken, given, "scow_plan_request", failure) ||
        !numbers_check(&taken, failure))
        return false;
    asked->request = (struct plan_request){
        .path = handle->name,
        .unnamed = !handle->is_file,
        .digest = handle->digest,
        .scheduler = taken.scheduler ? taken.scheduler : SCHEDULER_AUTO,
        .set = taken.set,
        .block = taken.block,
        .tail = taken.tail,
        .like = taken.like,
        .tasks = taken.tasks,
        .workers = taken.workers,
        .buffers = taken.buffers,
        .deadline_s = taken.deadline_s,
        .within = taken.within,
        .effort_s = taken.effort_s > 0 || taken.effort_s < 0 || isnan(taken.effort_s)
                        ? taken.effort_s
                        : PLANNING_EFFORT_S,
        .real_valued = taken.real_valued != 0,
        .objective = taken.objective,
        .budget = taken.budget,
        .require = taken.require,
        .exclude = taken.exclude,
        .at_most = taken.at_most,
        .price = taken.price,
    };
    return waits_take(taken.waits, asked, failure);
}

/* ---- making and reading -------------------------------------------------------------------- */

void scow_plan_free(struct scow_plan *plan)
{
    if (!plan)
        return;
    planned_release(&plan->planned);
    if (plan->made)
        profile_release(&plan->profile);
    free(plan);
}

/* The planning must not keep what it borrows from the request, which may end with the call. */
static void planning_settle(struct planned *planned)
{
    planned->planning.path = planned->planning.digest = planned->planning.tail = NULL;
    planned->planning.scheduler = planned->plan.scheduler;
}

static bool plan_fill(struct scow_plan *plan, const struct scow_profile *profile,
                      const struct scow_plan_request *given, struct failure *failure)
{
    struct asked asked;
    plan->made = request_check(profile, given, &asked, failure) &&
                 handle_profile_copy(profile, &plan->profile, failure);
    if (plan->made && !planned_make(&plan->profile, &asked.request, &plan->planned, failure)) {
        profile_release(&plan->profile);
        plan->made = false;
    }
    asked_release(&asked);
    if (plan->made)
        planning_settle(&plan->planned);
    return plan->made;
}

/* An empty plan; NULL with *failure set. */
static struct scow_plan *plan_new(struct failure *failure)
{
    struct scow_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        failure_memory(failure, "making a plan");
    return plan;
}

/* Returns the plan if it has been filled; else frees it and returns NULL. */
static struct scow_plan *plan_keep(struct scow_plan *plan, bool good)
{
    if (good)
        return plan;
    free(plan);
    return NULL;
}

int scow_plan_make(struct scow_plan **plan, const struct scow_profile *profile,
                   const struct scow_plan_request *request, struct scow_plan_error *error)
{
    struct entry entry = entry_begin();
    struct scow_plan *made = plan_new(&entry.failure);
    *plan = plan_keep(made, made && plan_fill(made, profile, request, &entry.failure));
    return entry_end(&entry, error);
}

int scow_plan_read(struct scow_plan **plan, const char *path, struct scow_plan_error *error)
{
    struct entry entry = entry_begin();
    struct scow_plan *read = plan_new(&entry.failure);
    const bool good =
        read &&
        (path || failure_set(&entry.failure, FAILURE_USAGE, "no plan is named: give its path")) &&
        load_plan(path, &read->planned.plan, &entry.failure);
    *plan = plan_keep(read, good);
    return entry_end(&entry, error);
}

int scow_plan_parse(struct scow_plan **plan, const char *text, size_t length, const char *name,
                    struct scow_plan_error *error)
{
    struct entry entry = entry_begin();
    struct scow_plan *read = plan_new(&entry.failure);
    const bool good =
        read &&
        (text ||
         failure_set(&entry.failure, FAILURE_USAGE, "no plan is given: hand over its text")) &&
        plan_parse(&read->planned.plan, text, length, name ? name : "plan", &entry.failure);
    *plan = plan_keep(read, good);
    return entry_end(&entry, error);
}

int scow_plan_text(char **text, const struct scow_plan *plan, struct scow_plan_error *error)
{
    struct entry entry = entry_begin();
    *text = plan_print(&plan->planned.plan);
    if (!*text)
        failure_memory(&entry.failure, "writing the plan");
    return entry_end(&entry, error);
}

/* ---- what it is ---------------------------------------------------------------------------- */

const char *scow_plan_scheduler(const struct scow_plan *plan)
{
    return plan->planned.plan.scheduler;
}

const char *scow_plan_tail(const struct scow_plan *plan)
{
    return plan->planned.plan.tail;
}

double scow_plan_tasks(const struct scow_plan *plan)
{
    return plan->planned.plan.tasks;
}

int64_t scow_plan_workers(const struct scow_plan *plan)
{
    return plan_workers_used(&plan->planned.plan);
}

int64_t scow_plan_workers_needed(const struct scow_plan *plan)
{
    return plan_workers_needed(&plan->planned.plan);
}

int64_t scow_plan_rounds(const struct scow_plan *plan)
{
    return plan_rounds_total(&plan->planned.plan);
}

int64_t scow_plan_packages(const struct scow_plan *plan)
{
    return plan_packages(&plan->planned.plan);
}

static double predicted(const struct scow_plan *plan, double value)
{
    return plan->planned.plan.predicted.known ? value : (double)NAN;
}

double scow_plan_makespan_s(const struct scow_plan *plan)
{
    return predicted(plan, plan->planned.plan.predicted.makespan_s);
}

double scow_plan_without_variation_s(const struct scow_plan *plan)
{
    const struct plan_prediction *by = &plan->planned.plan.predicted;
    return predicted(plan, by->without_variation_s > 0 ? by->without_variation_s : by->makespan_s);
}

double scow_plan_lower_bound_s(const struct scow_plan *plan)
{
    return predicted(plan, plan->planned.plan.predicted.lower_bound_s);
}

double scow_plan_gap(const struct scow_plan *plan)
{
    return predicted(plan, plan->planned.plan.predicted.gap);
}

double scow_plan_busy_share(const struct scow_plan *plan)
{
    return predicted(plan, plan->planned.plan.predicted.worker_busy_share);
}

int scow_plan_interval_s(const struct scow_plan *plan, double *least_s, double *most_s)
{
    const struct plan_prediction *prediction = &plan->planned.plan.predicted;
    const bool known = prediction->known && prediction->interval_s[1] > 0;
    if (least_s)
        *least_s = known ? prediction->interval_s[0] : (double)NAN;
    if (most_s)
        *most_s = known ? prediction->interval_s[1] : (double)NAN;
    return known;
}

/* ---- what it costs ------------------------------------------------------------------------- */

const char *scow_plan_objective(const struct scow_plan *plan)
{
    return plan->planned.plan.objective;
}

/* Costs that are not known are 0. */
static double cost_known(const struct scow_plan *plan, double value)
{
    return predicted(plan, value > 0 ? value : (double)NAN);
}

double scow_plan_charge(const struct scow_plan *plan)
{
    return cost_known(plan, plan->planned.plan.predicted.charge);
}

double scow_plan_energy_j(const struct scow_plan *plan)
{
    return cost_known(plan, plan->planned.plan.predicted.energy_j);
}

double scow_plan_cpu_s(const struct scow_plan *plan)
{
    return cost_known(plan, plan->planned.plan.predicted.cpu_s);
}

double scow_plan_turnaround_s(const struct scow_plan *plan)
{
    return cost_known(plan, plan->planned.plan.predicted.turnaround_s);
}

/* ---- its packages -------------------------------------------------------------------------- */

/* Counts the packages and core tasks of a round. */
static int64_t round_packages(const struct plan *plan, size_t entry, double *tasks)
{
    int64_t packages = 0;
    *tasks = 0;
    for (int64_t slot = 0; slot < plan->worker_count; slot++) {
        const double load = plan->rounds[entry].loads[slot];
        packages += load > 0;
        *tasks += load > 0 ? load : 0;
    }
    return packages;
}

/* Places the cursor before the first package of the round that contains package number `from`,
 * without going through the rounds before it; *from becomes the package's number in that round.
 * False: there are not so many packages. */
static bool cursor_place(const struct plan *plan, int64_t *from, struct plan_cursor *cursor)
{
    double first = 0;
    int64_t round = 0;
    for (size_t entry = 0; entry < plan->round_count; entry++) {
        double tasks;
        const int64_t packages = round_packages(plan, entry, &tasks);
        const int64_t repeat = plan->rounds[entry].repeat;
        const int64_t passed = packages > 0 ? *from / packages : repeat;
        if (passed < repeat) {
            *from -= passed * packages;
            *cursor = (struct plan_cursor){.plan = plan,
                                           .loads = plan->rounds[entry].loads,
                                           .entry = entry,
                                           .repeats = repeat - passed - 1,
                                           .slot = -1,
                                           .first = first + tasks * (double)passed,
                                           .round = round + passed};
            return true;
        }
        *from -= repeat * packages;
        first += tasks * (double)repeat;
        round += repeat;
    }
    return false;
}

size_t scow_plan_package_list(const struct scow_plan *plan, int64_t from, size_t most,
                              struct scow_plan_package *packages)
{
    struct plan_cursor cursor;
    size_t count = 0;
    if (from < 0 || !cursor_place(&plan->planned.plan, &from, &cursor))
        return 0;
    while (count < most && plan_cursor_next(&cursor)) {
        if (from-- > 0)
            continue;
        packages[count++] =
            (struct scow_plan_package){.round = cursor.round,
                                       .rank = plan->planned.plan.workers[cursor.slot] + 1,
                                       .first = cursor.first,
                                       .tasks = cursor.load};
    }
    return count;
}

/* ---- what to ask for ----------------------------------------------------------------------- */

static bool advice_find(const struct scow_plan *plan, double risk, struct advice *advice,
                        struct failure *failure)
{
    if (!plan->made)
        return failure_set(failure, FAILURE_USAGE,
                           "the plan was only read, and a request needs its profile: make "
                           "the plan with scow_plan_make");
    if (!(risk >= 0.00001 && risk <= 0.5))
        return failure_set(failure, FAILURE_USAGE,
                           "risk must be from 0.00001 to 0.5, not %g: the share of runs that may "
                           "outlast the walltime",
                           risk);
    if (plan->planned.plan.real_valued)
        return failure_set(failure, FAILURE_USAGE,
                           "a plan with fractions of core tasks is not run: plan without "
                           "real_valued");
    *advice = planned_advice(&plan->planned, risk, 1);
    return true;
}

int scow_plan_walltime_s(double *walltime_s, const struct scow_plan *plan, double risk,
                         struct scow_plan_error *error)
{
    struct entry entry = entry_begin();
    struct advice advice;
    double most_s;
    if (advice_find(plan, risk, &advice, &entry.failure))
        *walltime_s = advice_walltime(&advice, &most_s);
    return entry_end(&entry, error);
}

int scow_plan_batch_text(char **text, const struct scow_plan *plan, const char *system, double risk,
                         struct scow_plan_error *error)
{
    struct entry entry = entry_begin();
    struct text lines = TEXT_INIT;
    struct advice advice;
    struct batch batch;
    const bool slurm = system && strcmp(system, "slurm") == 0;
    bool good =
        slurm || (system && strcmp(system, "pbs") == 0) ||
        failure_set(&entry.failure, FAILURE_USAGE,
                    "the batch system is 'slurm' or 'pbs', not '%.60s'", system ? system : "");
    good = good && advice_find(plan, risk, &advice, &entry.failure);
    if (good) {
        batch_find(&advice, &batch);
        (slurm ? batch_slurm : batch_pbs)(&batch, &lines);
    }
    *text = entry_give_text(&entry, &lines, good, "describing the batch job");
    return entry_end(&entry, error);
}

/* ---- studies ------------------------------------------------------------------------------- */

static bool compare(const struct planned *planned, struct text *text, struct failure *failure)
{
    const struct scenario scenario = SCENARIO_INIT;
    struct comparison comparison;
    if (!comparison_make(&planned->planning, &scenario, 0, &comparison, failure))
        return false;
    comparison_json(&comparison, text);
    comparison_release(&comparison);
    return true;
}

static bool sweep(const struct planned *planned, struct text *text, struct failure *failure)
{
    struct sweep made;
    if (!sweep_make(&planned->planning, &made, failure))
        return false;
    sweep_json(&made, text);
    sweep_release(&made);
    return true;
}

static bool pareto(const struct planned *planned, struct text *text, struct failure *failure)
{
    struct pareto made;
    if (!pareto_make(&planned->chosen, &made))
        return failure_memory(failure, "comparing plans");
    pareto_json(&made, text);
    pareto_release(&made);
    return true;
}

typedef bool study(const struct planned *planned, struct text *text, struct failure *failure);

/* Makes a study: adds to the text what `add` says. */
static bool study_make(study *add, const struct scow_profile *handle, struct plan_request *request,
                       struct text *text, struct failure *failure)
{
    struct profile profile;
    struct planned planned;
    request->bare = true; /* the plan is only needed to choose the setting */
    if (!handle_profile_copy(handle, &profile, failure))
        return false;
    bool good = planned_make(&profile, request, &planned, failure);
    if (good) {
        good = add(&planned, text, failure);
        planned_release(&planned);
    }
    profile_release(&profile);
    return good;
}

/* Makes a study of all workers. */
static bool study_of_all(study *add, const struct scow_profile *handle,
                         struct plan_request *request, struct text *text, struct failure *failure)
{
    if (plan_request_chooses(request))
        return failure_set(
            failure, FAILURE_USAGE,
            "comparisons and sweeps are about all workers, and objectives and limits "
            "choose some: leave one of them out");
    return study_make(add, handle, request, text, failure);
}

int scow_plan_compare_text(char **text, const struct scow_profile *profile,
                           const struct scow_plan_request *request, struct scow_plan_error *error)
{
    struct entry entry = entry_begin();
    struct asked asked;
    struct text made = TEXT_INIT;
    const bool good = request_check(profile, request, &asked, &entry.failure) &&
                      study_of_all(compare, profile, &asked.request, &made, &entry.failure);
    asked_release(&asked);
    *text = entry_give_text(&entry, &made, good, "comparing schedulers");
    return entry_end(&entry, error);
}

int scow_plan_sweep_text(char **text, const struct scow_profile *profile,
                         const struct scow_plan_request *request, struct scow_plan_error *error)
{
    struct entry entry = entry_begin();
    struct asked asked;
    struct text made = TEXT_INIT;
    bool good = request_check(profile, request, &asked, &entry.failure);
    if (good && strcmp(asked.request.scheduler, SCHEDULER_AUTO) == 0)
        asked.request.scheduler = SCHEDULER_QUICK;
    good = good && study_of_all(sweep, profile, &asked.request, &made, &entry.failure);
    asked_release(&asked);
    *text = entry_give_text(&entry, &made, good, "sweeping over workers");
    return entry_end(&entry, error);
}

int scow_plan_pareto_text(char **text, const struct scow_profile *profile,
                          const struct scow_plan_request *request, struct scow_plan_error *error)
{
    struct entry entry = entry_begin();
    struct asked asked;
    struct text made = TEXT_INIT;
    bool good = request_check(profile, request, &asked, &entry.failure);
    asked.request.front = true;
    good = good && study_make(pareto, profile, &asked.request, &made, &entry.failure);
    asked_release(&asked);
    *text = entry_give_text(&entry, &made, good, "comparing plans");
    return entry_end(&entry, error);
}
