#include "tests/faults/several.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/dispatch/dispatch.h"
#include "planner/files/plan_json.h"
#include "planner/files/plan_profile.h"
#include "planner/model/platform.h"
#include "planner/replan/stars_decided.h"
#include "spmd/run/execute.h"
#include "spmd/run/until.h"
#include "tests/faults/checks.h"
#include "tests/faults/disk.h"
#include "tests/faults/models.h"
#include "tests/faults/searches.h"
#include "tests/faults/stars.h"
#include "tests/faults/task.h"
#include "tests/faults/world.h"

static struct several {
    struct stars begun; /* the stars that it begins with, as long as there is no output */
    struct stars stars; /* the stars of the current part, as far as known */
    char *text;         /* owned; the plan */
    struct plan plan;   /* owned; that plan */
    struct kernel kernel;
    struct until until;
    bool profiled, once, resumes;
    bool calm;                 /* without disturbances: it takes as long as expected */
    double makespan_s;         /* if calm */
    char tail[64];             /* "": none */
    const char *rule, *replan; /* NULL: none */
    int ahead;
} several;

/* ---- chance ---------------------------------------------------------------------------------- */

static struct stars_job job_of(int64_t tasks)
{
    return (struct stars_job){.kernel = several.kernel.task->name,
                              .order = &trial.job->order,
                              .behind = trial.job->values.write_behind,
                              .tasks = tasks,
                              .largest = trial.largest,
                              .buffers = trial.buffers};
}

/* A search has one master. */
static void stars_take(struct stars *stars, int ranks, int64_t tasks, bool trees)
{
    if (trial.search)
        *stars = (struct stars){.ranks = ranks, .count = 1};
    else
        stars_draw(stars, ranks, tasks, trees);
}

static void plan_make(void)
{
    struct failure failure = FAILURE_INIT;
    const struct stars_job job = job_of(trial.tasks);
    several.text = stars_plan(&several.begun, &job);
    if (!plan_parse_any(&several.plan, several.text, strlen(several.text), "plan", &failure))
        world_wrong("%s", failure.text);
}

/* A rule on request, with a profile also a tail, or a plan that is watched; in trees these are for
 * groups whose workers compute. It has a random stream of its own, so that the meaning of a seed
 * otherwise stays the same. */
static void deciding_draw(void)
{
    struct dice own = {world.dice.state ^ 0x72756c6573u}, *dice = &own;
    const char *rule = dispatch_rule_name((size_t)dice_below(dice, dispatch_rule_count())).name;
    several.ahead = 1 + (int)dice_below(dice, 3);
    if (trial.search || dice_hit(dice, 0.4))
        return;
    if (!several.profiled || dice_hit(dice, 0.4)) {
        several.rule = rule;
        return;
    }
    if (dice_hit(dice, 0.9))
        snprintf(several.tail, sizeof several.tail, "%s:%d%%", rule, (int)dice_below(dice, 101));
    if (dice_hit(dice, 0.1))
        several.replan = "10%";
}

/* For core tasks that sleep, and always with several masters: for one there are parts in
 * trial.c. */
static void calm_draw(int *ranks)
{
    const struct order order = trial.job->order;
    several.calm = true;
    *ranks = 4 + (int)dice_below(&world.dice, RANKS_MOST - 3);
    trial.job = task_job_sleeping(trial.tasks, trial.job->state_size > 0);
    trial.job->order = order;
    trial.collecting = 0;
    do
        stars_draw(&several.begun, *ranks, trial.tasks, true);
    while (several.begun.count == 1);
    /* A package for a worker without room delays others in the simulation, but not in the executor:
     * groups, whose pieces are unequal, get enough room. */
    if (several.begun.tree)
        trial.buffers = (int)trial.tasks;
    several.kernel.task = trial.job->task;
    several.profiled = several.once = true;
    models_draw(trial.largest, 1, false);
}

static void usual_draw(int ranks)
{
    struct dice *dice = &world.dice;
    stars_take(&several.begun, ranks, trial.tasks, true);
    several.profiled = dice_hit(dice, 0.6);
    several.once = dice_hit(dice, 0.3);
    if (several.profiled)
        models_draw(trial.largest, (double)trial.largest * habits.mean_s, false);
}

void several_draw(bool calm)
{
    int ranks = 2 + (int)dice_below(&world.dice, RANKS_MOST - 1);
    several = (struct several){.kernel = {.task = trial.job->task}};
    if (calm)
        calm_draw(&ranks);
    else
        usual_draw(ranks);
    deciding_draw();
    plan_make();
}

void several_release(void)
{
    free(several.text);
    plan_release(&several.plan);
    if (several.profiled)
        models_release();
    several = (struct several){.text = NULL};
}

int several_ranks(void)
{
    several.resumes = disk_is_there();
    several.stars = several.begun;
    if (several.resumes)
        several.stars.ranks = 2 + (int)dice_below(&world.dice, RANKS_MOST - 1);
    return several.stars.ranks;
}

char *several_plan_left(int64_t tasks, int ranks, bool single)
{
    const struct stars_job job = job_of(tasks);
    if (single)
        several.stars = (struct stars){.ranks = ranks, .count = 1};
    else
        stars_take(&several.stars, ranks, tasks, several.begun.tree);
    stars_say(&several.stars);
    return stars_plan(&several.stars, &job);
}

/* ---- a rank ------------------------------------------------------------------------------------
 */

static void assemble(bool begins)
{
    static const double alarm_s = 60;
    world.current->alarm_s = begins ? world.now_s + alarm_s : 0;
}

static bool liveness_open(struct liveness *liveness, struct comm *comm, struct failure *failure)
{
    const struct liveness_words words = {.program = "scow run",
                                         .path = DISK_PATH,
                                         .state = "there is no package yet",
                                         .again = "run the same again"};
    return liveness_begin(liveness, comm, &words, 5 * trial.patience_s, failure);
}

static struct execution execution_of(struct comm *comm, struct liveness *liveness)
{
    return (struct execution){.comm = comm,
                              .kernel = &several.kernel,
                              .plan = &several.plan,
                              .plan_text = several.text,
                              .profile = several.profiled ? models_profile() : NULL,
                              .plan_name = "plan.json",
                              .output = DISK_PATH,
                              .emitted = "emitted",
                              .isa = "generic",
                              .threads = 1,
                              .collects = trial.collects,
                              .keeps = trial.keeps,
                              .rule = trial.collects ? NULL : several.rule,
                              .tail = several.tail[0] && !trial.collects ? several.tail : NULL,
                              .replan = trial.collects ? NULL : several.replan,
                              .ahead = several.ahead,
                              .once = several.once,
                              .resume = true,
                              .command = "scow run",
                              .again = "run the same again with --resume",
                              .quiet = true,
                              .assemble = assemble,
                              .liveness = liveness,
                              .patience_s = trial.patience_s,
                              .until = &several.until};
}

/* As a rank does at its very end, once others are lost (spmd/launch/start.c). */
static void others_end(const struct run_outcome *outcome)
{
    for (int k = 0; outcome->broken && k < outcome->others.count; k++)
        process_kill(&outcome->others.items[k]);
}

void several_main(void)
{
    struct rank *self = world.current;
    struct comm comm;
    struct liveness liveness = {.comm = NULL};
    struct run_outcome outcome = {.packages = 0};
    struct failure failure = FAILURE_INIT;
    comm_init(&comm, (struct link){0});
    comm.offset_s = world.rank[0].skew_s - self->skew_s;
    comm.workers_on_node = world.ranks - 1;
    comm.nodes = 1;
    const struct execution execution = execution_of(&comm, &liveness);
    const bool open = liveness_open(&liveness, &comm, &failure);
    if (open && trial.search)
        searches_run(&execution, &comm, &liveness, &outcome, &failure);
    else if (open)
        execute_run(&execution, &outcome, &failure);
    if (self->number == 0)
        several.makespan_s = outcome.makespan_s;
    liveness_end(&liveness);
    others_end(&outcome);
    run_outcome_release(&outcome);
    world_say("rank %d ends with %d%s%s", self->number, (int)failure.code,
              failure.code != FAILURE_NONE ? ": " : "",
              failure.code != FAILURE_NONE ? failure.text : "");
    world_leave(self, RANK_ENDED, (int)failure.code);
}

/* ---- what is done to it ------------------------------------------------------------------------
 */

void several_say(void)
{
    struct until *until = &several.until;
    world_say("part of a run that is simulated whole, %" PRId64 " core tasks, packages of at most "
              "%" PRId64 "%s%s%s",
              trial.tasks, trial.largest, trial.job->values.write_behind ? ", written behind" : "",
              trial.job->state_size > 0 ? ", reduces" : "", several.once ? ", no copies" : "");
    if (trial.collects)
        world_say("masters collect results%s", trial.keeps ? ", at the end" : "");
    world_say("%s%s%s%s%s%s, %d ahead", several.plan.weights ? "by weight, " : "",
              several.rule ? "by the rule " : "by the plan", several.rule ? several.rule : "",
              several.tail[0] ? ", with the tail " : "", several.tail,
              several.replan ? ", watched" : "", several.ahead);
    if (!several.resumes)
        stars_say(&several.stars);
    *until = (struct until){.known = false, .who = "--until"};
}

/* Kills some of the star's ranks, at about the same time. */
static void star_kill(double at_s, int first, int end)
{
    for (int rank = first; rank < end; rank++)
        world_event(at_s + dice_between(&world.dice, 0, 0.1), EVENT_KILL, rank, 0, NULL);
}

void several_disturb(double work_s)
{
    struct dice *dice = &world.dice;
    const struct stars *stars = &several.begun; /* later stars are not known yet */
    const int number = (int)dice_below(dice, (uint64_t)stars->count);
    const double at_s = dice_between(dice, 0, work_s);
    const int master = stars->masters[number];
    if (dice_hit(dice, 0.15)) { /* the job's time is over */
        several.until.known = true;
        several.until.end_s = world_time_of_day() + dice_between(dice, 0, 2 * work_s + 2);
    }
    if (number > 0 && dice_hit(dice, 0.25))
        star_kill(at_s, master, master + 1);
    if (dice_hit(dice, 0.15))
        star_kill(at_s, master + 1, stars_end(stars, number));
}

/* A rank that is given up by a master that hangs, where no rank can end them, stays as long as that
 * master. */
bool several_over(void)
{
    bool over = trial.several && world.rank[0].state != RANK_RUNS;
    for (int k = 1; k < world.ranks; k++) {
        const struct rank *rank = &world.rank[k];
        over = over && (rank->state != RANK_RUNS || rank->stopped || rank->told_lost);
    }
    return over;
}

/* ---- as long as is expected ------------------------------------------------------------------ */

/* Besides the run's own order of simultaneous events others are simulated, by noise so small that
 * nothing else changes. */
enum { ORDERS = 12 };
static const double ordering_noise = 1e-6;

/* Where masters do something at the same time, which one is first depends on how long messages
 * take. */
static bool stars_simulate(const struct platform *platform, const struct profile_setting *setting,
                           int order, struct simulation *expected, struct failure *failure)
{
    const struct stars_request request = {
        .watching = {.plan = &several.plan,
                     .setting = setting,
                     .workers = several.begun.ranks - 1,
                     .tolerance = several.replan,
                     .tail = several.tail[0] ? several.tail : NULL,
                     .ahead = several.ahead},
        .rule = several.rule};
    struct scenario scenario = SCENARIO_INIT;
    struct stars_decided decided;
    struct stars_told told = {.lines = TEXT_INIT};
    scenario.noise = order > 0 ? ordering_noise : 0;
    scenario.seed = (uint64_t)order;
    if (!stars_decided_init(&decided, &request, failure))
        return false;
    const bool good =
        stars_decided_simulate(&decided, platform, &scenario, NULL, &told, expected, failure);
    stars_told_release(&told);
    stars_decided_release(&decided);
    return good;
}

static bool is_as_expected(double expected_s)
{
    return isfinite(expected_s) && fabs(several.makespan_s - expected_s) <= trial.most * expected_s;
}

/* *expected_s becomes the time that is nearest to the run's. */
static bool orders_simulate(const struct platform *platform, const struct profile_setting *setting,
                            double *expected_s, struct failure *failure)
{
    const int orders = several.begun.tree ? 1 : ORDERS;
    struct simulation expected;
    bool good = true;
    *expected_s = HUGE_VAL;
    for (int order = 0; good && order < orders && !is_as_expected(*expected_s); order++) {
        good = stars_simulate(platform, setting, order, &expected, failure);
        if (good &&
            fabs(expected.makespan_s - several.makespan_s) < fabs(*expected_s - several.makespan_s))
            *expected_s = expected.makespan_s;
    }
    return good;
}

/* Expects the first part, with what its plan says about core tasks. */
static bool expect(double *expected_s, struct failure *failure)
{
    struct plan_profile seen;
    struct platform platform = {.windows = NULL};
    const bool good = plan_profile_init(&seen, models_profile(), &several.plan, failure) &&
                      platform_init(&platform, seen.setting, several.begun.ranks - 1, failure) &&
                      platform_map(&platform, seen.setting, several.plan.tasks, failure);
    platform.buffers = plan_buffers(&several.plan);
    const bool simulated = good && orders_simulate(&platform, seen.setting, expected_s, failure);
    platform_release(&platform);
    plan_profile_release(&seen);
    return simulated;
}

static void makespan_check(void)
{
    struct failure failure = FAILURE_INIT;
    double expected_s;
    if (!expect(&expected_s, &failure)) {
        world_wrong("it cannot be simulated: %s", failure.text);
        return;
    }
    world_say("took %g s, and %g s were expected", several.makespan_s, expected_s);
    if (!is_as_expected(expected_s))
        world_wrong("%d masters %s took %g s %s%s%s%s, and %g s were expected", several.begun.count,
                    several.begun.tree ? "in a tree" : "side by side", several.makespan_s,
                    several.rule ? "by the rule " : "by the plan",
                    several.rule     ? several.rule
                    : several.replan ? ", watched"
                                     : "",
                    several.tail[0] ? ", with the tail " : "", several.tail, expected_s);
}

void several_check(void)
{
    const struct rank *first = &world.rank[0];
    if (first->state != RANK_ENDED || world.wrong[0])
        return;
    const bool failed = trial.search && searches_have_failed();
    if (trial.search && first->status == FAILURE_NONE && !searches_are_over())
        world_wrong("rank 0 ends with 0, and the search is not over");
    if (!trial.search && trial.sealed != (first->status == FAILURE_NONE))
        world_wrong("rank 0 ends with %d, and the run is%s sealed", first->status,
                    trial.sealed ? "" : " not");
    if (first->status != FAILURE_NONE && first->status != FAILURE_STOPPED && !failed &&
        !(world.weather.unwritten > 0))
        world_wrong("rank 0 ends with %d, though nothing has failed", first->status);
    if (several.calm && !world.wrong[0])
        makespan_check();
}

bool several_lost(void)
{
    for (int k = 1; trial.several && k < several.stars.count; k++) {
        const struct rank *rank = &world.rank[several.stars.masters[k]];
        if (rank->told_lost || rank->state != RANK_RUNS)
            return true;
    }
    return false;
}

bool several_disowns(void)
{
    const struct weather *weather = &world.weather;
    bool lost = weather->damaged > 0 || weather->unwritten > 0;
    for (int k = 1; k < several.stars.ranks; k++)
        lost = lost || world.rank[k].told_lost || world.rank[k].state == RANK_KILLED;
    return trial.several && several.stars.tree && lost;
}

bool several_heads(int rank)
{
    const struct stars *stars = &several.stars;
    for (int k = 1; trial.several && stars->tree && k < stars->count; k++)
        if (stars->masters[k] == rank)
            return true;
    return false;
}
