#include "tests/faults/trial.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/array.h"
#include "spmd/layout/intact.h"
#include "spmd/layout/layout.h"
#include "spmd/layout/task_digest.h"
#include "spmd/master/master.h"
#include "spmd/output/outputfile.h"
#include "spmd/output/store.h"
#include "spmd/protocol/beginning.h"
#include "spmd/protocol/run.h"
#include "spmd/resume/remaining.h"
#include "spmd/run/ending.h"
#include "spmd/transport/liveness.h"
#include "spmd/worker/worker.h"
#include "tests/faults/checks.h"
#include "tests/faults/decides.h"
#include "tests/faults/disk.h"
#include "tests/faults/disturbances.h"
#include "tests/faults/models.h"
#include "tests/faults/searches.h"
#include "tests/faults/several.h"
#include "tests/faults/task.h"
#include "tests/faults/weather.h"
#include "tests/faults/world.h"

/* How many parts may have faults, after which one more must complete the run; how many workers. */
enum { PARTS_MOST = 4, WORKERS_MOST = RANKS_MOST - 1 };
/* Few core tasks, so that many runs are possible per second; now and then so many that a plan runs
 * far ahead of reports. */
enum { TASKS_FEW = 40, TASKS_MANY = 600 };
/* The most simulated seconds of a part: longer than any sum of deadlines. */
static const double part_most_s = 50000;

struct trial trial;

/* Nothing goes wrong in any trial, and each takes as long as expected. */
static bool calm;
/* The share of trials whose parts are run completely, mostly by several masters. */
static double several_most = 1.0 / 3;
/* The share of these that are searches in levels, by one master. */
static double searches_most = 0.2;

/* ---- places ---------------------------------------------------------------------------------- */

static int64_t place_take(size_t *end, size_t size)
{
    const size_t place = (*end + 63) / 64 * 64;
    *end = place + size;
    return (int64_t)place;
}

static void places_make(void)
{
    const size_t tasks = (size_t)trial.tasks;
    size_t end = 64;
    trial.places = (struct output_places){
        .ledger = place_take(&end, tasks),
        .records = place_take(&end, tasks * sizeof(struct record)),
        .digests = place_take(&end, tasks * sizeof(uint64_t)),
        .reason_size = (int64_t)layout_reason_size(trial.tasks),
        .reasons = place_take(&end, tasks * layout_reason_size(trial.tasks)),
        .in_flight_rows = RANKS_MOST,
        .in_flight = place_take(&end, RANKS_MOST * sizeof(struct losses_in_flight)),
    };
    if (trial.job->state_size > 0)
        trial.places.partial =
            place_take(&end, 2 * (size_t)SLOTS * layout_slot_size(trial.job->state_size));
    if (trial.search)
        trial.places.emitted = place_take(&end, tasks * sizeof(struct layout_emitted));
    trial.places.lost = place_take(&end, LOSSES_MOST * sizeof(struct losses_row));
    trial.size = end;
}

void trial_level(int64_t tasks)
{
    trial.tasks = tasks;
    trial.job->setup.tasks = tasks;
    trial.job->order.tasks = tasks;
    trial.sealed = trial.running = trial.unmended = false;
    trial.times = 0;
    trial.last = (struct run_part){.tasks = 0};
    trial.part.times = -1; /* until one begins */
    places_make();
}

/* ---- going on -------------------------------------------------------------------------------- */

/* As remaining_mend writes it. */
static void file_mend(const struct remaining *remaining)
{
    char *bytes = disk_bytes();
    for (int64_t k = 0; k < trial.tasks; k++)
        ledger()[task_at(k)] = remaining->ledger[k];
    if (remaining->partial)
        memcpy(bytes + trial.places.partial, remaining->partial, remaining->partial_size);
    memset(bytes + trial.places.in_flight, 0, RANKS_MOST * sizeof(struct losses_in_flight));
    memset(bytes + trial.places.lost, 0, LOSSES_MOST * sizeof *remaining->lost);
    memcpy(bytes + trial.places.lost, remaining->lost,
           (size_t)remaining->lost_count * sizeof *remaining->lost);
    for (int64_t k = 0; k < remaining->lost_count; k++)
        if (remaining->lost[k].given_up) {
            const int file = 100000;
            losses_given_up_write(file, &trial.places, &remaining->lost[k],
                                  task_at(remaining->lost[k].first));
        }
}

static bool resume(void)
{
    struct failure failure = FAILURE_INIT;
    struct intact_damage damage = {0};
    const struct intact_subject subject = subject_of();
    trial.resumed = true;
    output_remaining(&trial.remaining, trial.job);
    const bool good = intact_compare(&subject, 0, trial.tasks, &damage, &failure) &&
                      remaining_settle(&trial.remaining, DISK_PATH, &damage, &failure);
    if (damage.count > 0)
        world_say("%" PRId64 " core tasks do not hold what was written", damage.tasks);
    intact_damage_release(&damage);
    file_mend(&trial.remaining);
    trial.unmended = false;
    summary_init(&trial.before);
    if (!good || !remaining_sum(DISK_PATH, trial.job, &trial.places, 0, trial.tasks, &trial.before,
                                &failure))
        world_wrong("the run cannot be gone on with: %s", failure.text);
    world_say("goes on: %" PRId64 " done, %" PRId64 " failed, %" PRId64 " left",
              trial.remaining.done, trial.remaining.failed, trial.remaining.left);
    return good;
}

/* ---- a rank ------------------------------------------------------------------------------------
 */

/* What belongs to a rank. */
struct part {
    struct comm comm;
    struct store *store;
    struct losses losses;
    struct liveness liveness;
    struct membership members; /* at the master */
    struct run_outcome outcome;
    struct failure failure;
    struct process master;  /* at a worker: that of the master */
    struct decides decides; /* at the master */
    struct decides_counted counted;
    struct trace_writer tracing;
    struct emulation *emulation; /* owned; where the job sleeps */
};

static struct decides_setup decides_setup_of(void)
{
    return (struct decides_setup){.rule = trial.rule,
                                  .surveyed = trial.surveyed,
                                  .watched = trial.watched,
                                  .master_share = trial.master_share,
                                  .tasks = trial.tasks,
                                  .largest = trial.largest,
                                  .mean_s = habits.mean_s,
                                  .ahead = trial.ahead,
                                  .keeps = trial.keeps,
                                  .copies = trial.copies,
                                  .counted = trial.counted,
                                  .plan = trial.plan,
                                  .workers = world.ranks - 1,
                                  .remaining = trial.resumed ? &trial.remaining : NULL};
}

static struct dispatch *dispatch_make(struct part *part)
{
    const struct decides_setup setup = decides_setup_of();
    return decides_make(&part->decides, &setup, &part->failure);
}

static void outcome_join(struct part *part)
{
    struct run_outcome *outcome = &part->outcome;
    const struct job *job = trial.job;
    if (trial.remaining.left == 0)
        summary_init(&outcome->summary);
    summary_merge(&outcome->summary, &trial.before);
    outcome->resumed = true;
    outcome->kept = trial.before.tasks;
    if (!trial.remaining.state)
        return;
    if (!outcome->state) {
        outcome->state = calloc(1, job->state_size);
        job->task->reset(job->opened, outcome->state);
    }
    job->task->merge(job->opened, outcome->state, trial.remaining.state);
}

/* The run must take what the simulation takes, except for delays of hearing. */
static void makespan_check(const struct part *part)
{
    const struct decides_setup setup = decides_setup_of();
    const struct dispatch_setup rule = decides_rule(&setup, trial.tasks);
    const struct models_run run = {.plan = &part->decides.plan,
                                   .rule = trial.rule ? &rule : NULL,
                                   .workers = world.ranks - 1,
                                   .buffers = trial.buffers,
                                   .results = trial.keeps      ? RESULTS_END
                                              : trial.collects ? RESULTS_PACKAGE
                                                               : RESULTS_NONE,
                                   .write_behind = trial.job->values.write_behind};
    const double expected_s = models_expect(&run), measured_s = part->outcome.makespan_s;
    world_say("took %g s, and %g s were expected", measured_s, expected_s);
    trial.makespan_s = measured_s;
    trial.packages = part->outcome.packages;
    if (fabs(measured_s - expected_s) > trial.most * expected_s)
        world_wrong("took %g s by the model %s%s%s%s, and %g s were expected", measured_s,
                    models_name(), trial.rule ? " and the rule " : "", trial.rule ? trial.rule : "",
                    trial.loaded ? " under load" : "", expected_s);
}

/* The master's ranks, while it leads. */
static const struct membership *leading;

double trial_began_s(void)
{
    return leading ? leading->origin_s - world.rank[0].skew_s : 0;
}

static void lead(struct part *part, const struct run *run)
{
    leading = &part->members;
    const bool over = trial.resumed && trial.remaining.left == 0;
    if (!over) {
        struct progress progress;
        struct dispatch *dispatch = dispatch_make(part);
        progress_init(&progress, NULL, trial.tasks, 0);
        master_run(run, dispatch, &progress, &part->outcome, &part->failure);
        if (calm)
            makespan_check(part);
        progress_end(&progress);
        dispatch_free(&dispatch);
    } else {
        beginning_lead(run, &part->failure);
    }
    if (trial.resumed)
        outcome_join(part);
}

static void perform(struct part *part)
{
    static const struct plan plan;
    const struct decides_setup setup = decides_setup_of();
    if (trial.counted)
        decides_count(&part->counted, &setup);
    const struct run run = {.comm = &part->comm,
                            .members = part->comm.rank == 0 ? &part->members : NULL,
                            .apart = true,
                            .liveness = &part->liveness,
                            .master = part->master,
                            .patience_s = trial.patience_s,
                            .job = trial.job,
                            .input = trial.input,
                            .store = part->store,
                            .losses = &part->losses,
                            .collects = trial.collects,
                            .keeps = trial.keeps,
                            .senses = true,
                            .copies = trial.copies,
                            .counted = trial.counted ? &part->counted.counted : NULL,
                            .one_by_one = trial.one_by_one,
                            .largest_package = trial.largest,
                            .tasks = trial.resumed ? trial.remaining.left : trial.tasks,
                            .threads = 1,
                            .again = "go on",
                            .emulation = part->emulation,
                            .tracing = part->comm.rank == 0 ? &part->tracing : NULL,
                            .buffers = trial.buffers};
    struct done_packages done = {0};
    if (part->comm.rank == trial.unready)
        failure_set(&part->failure, FAILURE_FAILED, "rank %d has no memory", trial.unready);
    if (part->comm.rank == 0) {
        lead(part, &run);
        part->outcome.trace_cut = !trace_writer_end(&part->tracing);
    } else if (!trial.resumed || trial.remaining.left > 0)
        worker_run(&run, &done, &part->failure);
    else
        beginning_follow(&run, &part->failure);
    if (trial.unready >= 0 && part->failure.code == FAILURE_NONE)
        world_wrong("rank %d begins, though rank %d cannot", part->comm.rank, trial.unready);
    const struct ending ending = {
        .closing = {.run = &run,
                    .input = trial.input,
                    .digest = "",
                    .even = trial.resumed || part->members.loss_count > 0},
        .output = DISK_PATH,
        .plan = &plan,
        .again = "go on"};
    if (part->comm.rank == 0)
        ending_lead(&ending, &part->outcome, &part->failure);
    else
        ending_follow(&ending, &done, &part->outcome, &part->failure);
    done_packages_release(&done);
    liveness_end(&part->liveness);
}

static void losses_leave(void *losses)
{
    losses_begin(losses, 0, 0);
}

/* False: it leaves, as the others do. */
static bool liveness_open(struct part *part)
{
    const struct liveness_words words = {.program = "scow run",
                                         .path = DISK_PATH,
                                         .state = "there is no package yet",
                                         .again = "run the same again"};
    return liveness_begin(&part->liveness, &part->comm, &words, 5 * trial.patience_s,
                          &part->failure);
}

/* As every rank does by itself. */
static void output_open(struct part *part, const struct output_places *places)
{
    const struct store_setup store = {.path = DISK_PATH,
                                      .emitted = "emitted",
                                      .slots = SLOTS,
                                      .collected = trial.collects,
                                      .leads = comm_leads(&part->comm),
                                      .collects_as = STORE_COLLECTOR,
                                      .master_as = trial.master_share > 0 ? world.ranks : 0,
                                      .resumed = trial.resumed};
    const bool sees = part->comm.rank == 0 || !trial.collects;
    part->store = store_open(&store, places, &part->comm, trial.job, &part->failure);
    if (sees)
        losses_open(&part->losses, DISK_PATH, places, part->comm.rank, trial.remaining.lost_count);
    part->liveness.leaving = (struct liveness_leaving){losses_leave, &part->losses};
    if (sees)
        liveness_place(&part->liveness, DISK_PATH);
}

static bool part_lead(struct part *part)
{
    const struct membership_setup members = {.comm = &part->comm,
                                             .liveness = &part->liveness,
                                             .path = DISK_PATH,
                                             .command = "scow run",
                                             .workers = world.ranks - 1};
    struct bundle told = {0};
    membership_init(&part->members, &members);
    trace_writer_begin(&part->tracing, DISK_PATH, "scow run", &trial.part);
    output_open(part, &trial.places);
    bundle_put(&told, &trial.places, sizeof trial.places);
    for (int peer = 1; peer < world.ranks; peer++)
        beginning_tell(&part->comm, peer, &told, &part->failure);
    bundle_release(&told);
    return part->failure.code == FAILURE_NONE;
}

static bool part_follow(struct part *part)
{
    struct output_places places;
    struct bundle told = {0};
    const bool begins = beginning_hear(&part->comm, HUGE_VAL, &told, &part->master, &part->failure);
    if (begins) {
        bundle_take(&told, &places, sizeof places);
        output_open(part, &places);
    }
    bundle_release(&told);
    return begins;
}

/* What a rank runs, as spmd/run/execute.c does. */
static void rank_main(void)
{
    struct part part = {.emulation = NULL,
                        .losses = {.file = -1},
                        .tracing = {.file = -1},
                        .failure = FAILURE_INIT};
    struct rank *self = world.current;
    comm_init(&part.comm, (struct link){0});
    part.comm.offset_s = world.rank[0].skew_s - self->skew_s;
    part.comm.workers_on_node = world.ranks - 1;
    part.comm.nodes = 1;
    if (trial.sleeps)
        part.emulation = models_emulation(&part.failure);
    if (liveness_open(&part) && (self->number == 0 ? part_lead(&part) : part_follow(&part)))
        perform(&part);
    store_close(&part.store, &part.failure);
    membership_release(&part.members);
    losses_close(&part.losses);
    liveness_end(&part.liveness);
    if (part.tracing.path)
        trace_writer_end(&part.tracing);
    run_outcome_release(&part.outcome);
    emulation_free(&part.emulation);
    decides_release(&part.decides);
    /* A sentence that only a bug of the product can cause. */
    if (part.failure.code != FAILURE_NONE && strstr(part.failure.text, "please report that"))
        world_wrong("%s", part.failure.text);
    world_say("rank %d ends with %d%s%s", self->number, (int)part.failure.code,
              part.failure.code != FAILURE_NONE ? ": " : "",
              part.failure.code != FAILURE_NONE ? part.failure.text : "");
    world_leave(self, RANK_ENDED, (int)part.failure.code);
}

/* ---- chance ---------------------------------------------------------------------------------- */

/* How near the times must be, relative; hearing of something takes a little. */
static const double calm_most = 0.01;

/* The simulation is of a plan, with core tasks that take no time except sleeping. */
static void trial_calm(void)
{
    trial.surveyed = trial.watched = trial.one_by_one = false;
    trial.most = calm_most;
    trial.rule = NULL;
    trial.master_share = 0;
    trial.collecting = trial.collecting > 0;
    trial.patience_s = 1000;
    trial.job->values.write_behind = false;
    habits = (struct habits){.tasks = trial.tasks, .mean_s = 1e-6, .bytes = 8, .deadly = -1};
}

/* Has a random stream of its own, so that the meaning of a seed otherwise stays the same. Packages
 * are assigned by plans and by rules, half of these being ones that ask for shares. */
static void loaded_draw(void)
{
    static const char *const sharing[] = {"dtss", "dfss", "dfiss", "dtfss"};
    struct dice own = {world.dice.state ^ 0x6c6f6164u};
    trial.loaded = dice_hit(&own, 0.5);
    if (!trial.loaded)
        return;
    trial.collecting = 0;
    /* A package is computed at once. */
    trial.job->order = (struct order){.tasks = trial.tasks, .stride = 1};
    if (dice_hit(&own, 0.3))
        return;
    trial.rule = dice_hit(&own, 0.5)
                     ? sharing[dice_below(&own, sizeof sharing / sizeof *sharing)]
                     : dispatch_rule_name((size_t)dice_below(&own, dispatch_rule_count())).name;
}

/* Has a random stream of its own, so that the meaning of a seed otherwise stays the same. */
static bool is_several(void)
{
    struct dice own = {world.dice.state ^ 0x73657665u};
    /* Calm trials have several masters only where all are to have them. */
    return several_most > 0 && (!calm || several_most == 1) && dice_hit(&own, several_most);
}

/* Likewise, for trials with several masters. */
static bool is_search(void)
{
    struct dice own = {world.dice.state ^ 0x7365617263u};
    return dice_hit(&own, searches_most);
}

static void trial_draw(void)
{
    struct dice *dice = &world.dice;
    const bool reduces = dice_hit(dice, 0.4), behind = dice_hit(dice, 0.4);
    trial.surveyed = dice_hit(dice, 0.3);
    trial.watched = dice_hit(dice, 0.4);
    const bool many = dice_hit(dice, trial.surveyed ? 0.15 : 0.05) && !calm;
    trial.tasks = 1 + (int64_t)dice_below(dice, many ? TASKS_MANY : TASKS_FEW);
    trial.job = task_job(trial.tasks, reduces, behind);
    trial.largest = 1 + (int64_t)dice_below(dice, many ? 4 : (uint64_t)(trial.tasks + 3) / 4 + 1);
    trial.patience_s = dice_about(dice, 0.5, 8);
    trial.ahead = 1 + (int)dice_below(dice, 3);
    trial.buffers = trial.ahead;
    trial.one_by_one = dice_hit(dice, 0.2);
    trial.collecting = dice_hit(dice, 0.5) ? dice_hit(dice, 0.7) ? 1 : 0.5 : 0;
    const size_t rule = (size_t)dice_below(dice, dispatch_rule_count() + 6);
    trial.rule = rule < dispatch_rule_count() ? dispatch_rule_name(rule).name : NULL;
    habits = (struct habits){
        .tasks = trial.tasks,
        .mean_s = dice_about(dice, 0.01, 1),
        .bytes = dice_hit(dice, 0.5) ? 8 : 512,
        .failing = dice_hit(dice, 0.15) ? 3 + (int64_t)dice_below(dice, 20) : 0,
        .deadly = dice_hit(dice, 0.08) ? (int64_t)dice_below(dice, (uint64_t)trial.tasks) : -1,
        .noisy = dice_hit(dice, 0.5)};
    trial.master_share = dice_hit(dice, 0.7) ? dice_between(dice, 0.02, 0.6) : 0;
    trial.job->order = order_draw(trial.tasks);
    trial.sleeps = calm || dice_hit(dice, 0.2);
    trial.several = is_several();
    if (calm)
        trial_calm();
    if (calm && !trial.several)
        loaded_draw();
    if (trial.several && is_search())
        searches_draw();
    if (trial.several)
        several_draw(calm);
    trial.sleeps = trial.sleeps && !trial.several;
    if (trial.loaded)
        models_draw_loaded(trial.largest, 1, 2 * (double)trial.tasks / (double)trial.largest);
    else if (trial.sleeps)
        models_draw(trial.largest, calm ? 1 : (double)trial.largest * habits.mean_s,
                    trial.collecting > 0);
}

/* Has a random stream of its own, likewise. */
static bool is_counted(void)
{
    struct failure none = FAILURE_INIT;
    const struct decides_setup setup = decides_setup_of();
    struct dice own = {world.dice.state ^ 0x636f756e74u};
    const bool can_be = trial.rule && dispatch_rule_is_closed(trial.rule, &none) &&
                        !trial.surveyed && !trial.collects && !trial.sleeps &&
                        decides_assigned(&setup) > 0;
    return can_be && dice_hit(&own, 0.6);
}

/* ---- whole ----------------------------------------------------------------------------------- */

static void part_say(int workers)
{
    char order[ORDER_WORD];
    world_say("part with %d workers, %" PRId64 " core tasks, packages of at most %" PRId64
              ", %s%s%s%s%s%s%s%s%s%s",
              workers, trial.tasks, trial.largest, trial.sleeps ? models_name() : "",
              trial.sleeps ? ", " : "", trial.surveyed ? "measured, " : "",
              trial.rule ? trial.rule : "planned", !trial.rule && trial.watched ? ", watched" : "",
              !trial.rule && !trial.watched && !trial.surveyed && trial.master_share > 0
                  ? ", the master computes"
                  : "",
              trial.job->values.write_behind ? ", written behind" : "",
              trial.keeps      ? ", collected at the end"
              : trial.collects ? ", collected"
                               : "",
              trial.copies    ? ", copied"
              : trial.counted ? ", counted"
                              : "",
              trial.job->state_size > 0 ? ", reduces" : "");
    order_print(&trial.job->order, order);
    world_say("order %s", order);
}

/* Runs until all ranks have ended; then what there is must be true. */
static void part_simulate(int workers, bool fair)
{
    const int64_t losses = world.losses;
    const double work_s = 0.1 + 1.5 * (double)trial.tasks * habits.mean_s / workers;
    world_begin(workers + 1, trial.several ? several_main : rank_main);
    world.whole =
        calm && !trial.loaded; /* the simulation does not know that others use processors */
    if (trial.several)
        several_say();
    else
        part_say(workers);
    if (!fair)
        disturbances_draw(work_s);
    if (!fair && trial.several)
        several_disturb(work_s);
    if (!world_run(part_most_s) && !several_over())
        world_wrong("the part has not ended after %.0f s", part_most_s);
    if (trial.several)
        several_check();
    trial.counts->simulated_s += world.now_s;
    trial.counts->parts++;
    trial.counts->losses += world.losses - losses;
    trial.master_peak = world.rank[0].peak;
    world_end();
    trial.counts->writes += disk_writes();
    if (!trial.sealed && world.weather.power) {
        disk_lose_power();
        trial.unmended = true;
    }
    if (!trial.unmended)
        ledger_check();
    trace_check(!trial.unmended);
    disk_settle();
    if (trial.sealed)
        digests_check();
}

/* What holds for all kinds of parts. */
static void weather_take(bool fair)
{
    world.weather = calm ? weather_calm() : fair ? weather_fair() : weather_draw();
}

/* Parts of one run may do either; a search's results do not return here. */
static void collecting_draw(void)
{
    trial.collects =
        !trial.search && !trial.job->values.write_behind && dice_hit(&world.dice, trial.collecting);
    trial.keeps = trial.collects && dice_hit(&world.dice, 0.4);
}

static void several_run(bool fair)
{
    const int ranks = several_ranks();
    weather_take(fair);
    collecting_draw();
    /* A rank that does not see the output must see its master's process. */
    world.weather.scattered = !fair && !trial.collects && dice_hit(&world.dice, 0.3);
    if (trial.search) /* messages of two consecutive runs may not be confused */
        world.weather.doubled = 0;
    trial.part.times = -1; /* until one begins */
    part_simulate(ranks - 1, fair);
}

static void one_run(bool fair)
{
    const int workers = 1 + (int)dice_below(&world.dice, WORKERS_MOST);
    weather_take(fair);
    trial.part.began_s += 1;
    trial.running = true;
    collecting_draw();
    world.weather.scattered = !fair && !trial.collects && dice_hit(&world.dice, 0.3);
    trial.unready = fair || !dice_hit(&world.dice, 0.03)
                        ? -1
                        : (int)dice_below(&world.dice, (uint64_t)workers + 1);
    /* No copies where the simulation that a run is compared with makes none. */
    trial.copies = !trial.keeps && (trial.collects || trial.job->state_size == 0) &&
                   dice_hit(&world.dice, 0.7) && !calm;
    trial.counted = is_counted();
    trial.copies = trial.copies && !trial.counted;
    trial.job->values.staged = trial.counted; /* no rank sends what they need */
    part_simulate(workers, fair);
}

static void part_run(int part, bool fair)
{
    if (trial.several) {
        several_run(fair);
        return;
    }
    if (part == 0 || resume())
        one_run(fair);
    remaining_release(&trial.remaining);
    trial.part.times++;
}

void trial_keep_calm(void)
{
    calm = true;
}

void trial_several(void)
{
    several_most = 1;
    searches_most = 0;
}

void trial_searches(void)
{
    several_most = searches_most = 1;
}

static bool is_over(void)
{
    return trial.search ? searches_are_over() : trial.sealed;
}

static void trial_begin(uint64_t seed, FILE *log, struct trial_counts *counts)
{
    world.dice = (struct dice){seed};
    world.log = log;
    world.losses = 0;
    world.wrong[0] = '\0';
    struct failure failure = FAILURE_INIT;
    memset(&trial, 0, sizeof trial);
    trial.counts = counts;
    trial.input = input_open(SCOW_INPUT_NONE, NULL, &failure);
}

/* Core tasks take no time besides what the profile has them sleep, and workers read their packages
 * themselves. */
bool trial_plan(const struct trial_planned *planned, struct trial_outcome *outcome)
{
    struct trial_counts counts = {0};
    trial_begin(1, NULL, &counts);
    calm = trial.sleeps = true;
    trial.tasks = planned->tasks;
    trial.largest = planned->largest;
    trial.plan = planned->plan;
    trial.job = task_job(trial.tasks, false, false);
    trial.job->order = (struct order){.tasks = trial.tasks, .stride = 1};
    trial.job->values.staged = true;
    trial_calm();
    habits.mean_s = 0;
    trial.most = planned->most;
    trial.ahead = trial.buffers = planned->buffers;
    trial.unready = -1;
    world.weather = weather_calm();
    trial.running = true;
    places_make();
    disk_begin(trial.size);
    part_simulate(planned->workers, true);
    input_close(&trial.input);
    *outcome = (struct trial_outcome){.makespan_s = trial.makespan_s,
                                      .packages = trial.packages,
                                      .writes = counts.writes,
                                      .master_peak = trial.master_peak,
                                      .part = trial.part};
    return trial.sealed && !world.wrong[0];
}

bool trial_run(uint64_t seed, FILE *log, struct trial_counts *counts)
{
    trial_begin(seed, log, counts);
    trial_draw();
    places_make();
    disk_begin(trial.size);
    if (trial.several)
        disk_vanish();
    const int parts = calm ? 0 : 1 + (int)dice_below(&world.dice, PARTS_MOST);
    for (int part = 0; !is_over() && !world.wrong[0] && part <= parts + 2; part++)
        part_run(part, part >= parts);
    if (!is_over())
        world_wrong("the run does not reach its end, though nothing disturbs it");
    input_close(&trial.input);
    if (trial.several)
        several_release();
    if (trial.search)
        searches_release();
    if (trial.sleeps)
        models_release();
    counts->trials++;
    return !world.wrong[0];
}
