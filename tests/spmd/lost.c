/* Messages of a worker that is not to be trusted: damaged ones, ones for other packages, ones that
 * arrive twice, and correct ones that arrive after it was given up. Whatever it sends, every core
 * task counts once, and the loss is listed. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "spmd/master/master.h"
#include "spmd/output/outputfile.h"
#include "spmd/protocol/beginning.h"
#include "spmd/protocol/membership.h"
#include "spmd/protocol/message.h"
#include "spmd/run/closing.h"
#include "spmd/transport/link_mpi.h"
#include "spmd/transport/wire.h"
#include "spmd/worker/context.h"
#include "spmd/worker/worker.h"
#include "tests/spmd/census.h"

static struct comm world;
static char path[200];

static const struct census everything = {
    .parts = CENSUS_ALL, .type = SCOW_F64, .extent = {9, 13, 11}, .tile = {2, 3, 4}};
enum { TASKS = 75, PACKAGE = 5 };

enum misdeed {
    SENDS_BROKEN_BYTES,
    SENDS_ANOTHER_PACKAGE,
    SENDS_TOO_LITTLE,
    SENDS_NONSENSE_TIMES,
    SENDS_TWICE,
    SENDS_ITS_TROUBLE,
    MISDEEDS
};

/* ---- what must come out ---- */

static struct summary summary_alone(const struct job *job)
{
    const struct engine_pulse no_pulse = {NULL, NULL};
    struct failure failure = FAILURE_INIT;
    struct summary summary;
    size_t size;
    summary_init(&summary);
    void *package = census_package(job, 0, TASKS, &size);
    struct engine *engine = engine_new(job, TASKS, 1, 1, &failure);
    assert_true(engine_compute(engine, 0, TASKS, package, size, no_pulse, &failure));
    assert_true(summary_add(&summary, job, engine_results(engine), &failure));
    engine_free(&engine);
    free(package);
    return summary;
}

static void check_ledger(const struct output_places *places)
{
    unsigned char ledger[TASKS];
    const int file = open(path, O_RDONLY);
    assert_true(file >= 0);
    assert_int_equal(pread(file, ledger, TASKS, places->ledger), TASKS);
    for (int64_t k = 0; k < TASKS; k++)
        assert_int_equal(ledger[k], census_rejected(k) ? 2 : 1);
    close(file);
}

static void check_outcome(const struct job *job, const struct run_outcome *outcome,
                          const struct membership *members, enum misdeed misdeed)
{
    const struct summary expected = summary_alone(job);
    const struct census_state *state = (const void *)outcome->state;
    assert_int_equal(outcome->summary.tasks, TASKS);
    assert_true(outcome->summary.checksum == expected.checksum);
    assert_int_equal(state->tasks, TASKS);
    assert_int_equal(state->squares, 137825);
    assert_int_equal(members->loss_count, 1);
    assert_int_equal(members->losses[0].member, 1);
    /* Of one that answers twice, the first answer may be of all that it had. */
    assert_true(members->losses[0].tasks > 0 || misdeed == SENDS_TWICE);
    assert_string_equal(members->losses[0].why, misdeed == SENDS_ITS_TROUBLE
                                                    ? "the disk of rank 1 is full"
                                                    : "it sent a message that is damaged");
}

/* ---- the worker that is not to be trusted ---- */

/* Its first package, done as it should be. Owned, with room for trouble. */
static struct wire_result *result_proper(struct worker_context *context)
{
    struct inbox_package in;
    struct compute_times times;
    struct failure failure = FAILURE_INIT;
    const struct run *run = context->run;
    for (;;) {
        inbox_take(context->inbox, (struct inbox_idle){0}, &in);
        if (in.header.kind == WIRE_WORK)
            break;
        inbox_done(context->inbox);
    }
    struct wire_result *result = calloc(1, wire_result_size(run->job->state_size, true));
    assert_non_null(result);
    result->package = in.header.package;
    summary_init(&result->summary);
    assert_true(worker_context_compute(context, &in, &times, &failure));
    assert_true(worker_context_output(context, &result->summary, &failure));
    memcpy(result + 1, engine_results(context->engine)->state, run->job->state_size);
    result->times.written_s = comm_now(run->comm);
    wire_result_seal(result, run->job->state_size);
    return result;
}

static void result_send(const struct run *run, const struct wire_result *result, size_t size)
{
    comm_send(run->comm, result, size, 0, WIRE_RESULT);
}

static void misdeed_do(const struct run *run, const struct wire_result *proper,
                       enum misdeed misdeed)
{
    const size_t state_size = run->job->state_size, size = wire_result_size(state_size, false);
    struct wire_trouble trouble = {.failure = FAILURE_INIT};
    struct wire_result *result = calloc(1, wire_result_size(state_size, true));
    assert_non_null(result);
    memcpy(result, proper, size);
    switch (misdeed) {
    case SENDS_BROKEN_BYTES:
        result->summary.checksum ^= 1;
        break;
    case SENDS_ANOTHER_PACKAGE:
        result->package.first += PACKAGE;
        wire_result_seal(result, state_size);
        break;
    case SENDS_TOO_LITTLE:
        result_send(run, result, size - 8);
        break;
    case SENDS_NONSENSE_TIMES:
        result->times.start_s = result->times.written_s + 1;
        wire_result_seal(result, state_size);
        break;
    case SENDS_TWICE:
        result_send(run, result, size);
        break;
    case SENDS_ITS_TROUBLE:
        failure_set(&trouble.failure, FAILURE_FAILED, "the disk of rank 1 is full");
        result->own = 1;
        wire_result_trouble(result, state_size, &trouble);
        wire_result_seal(result, state_size);
        break;
    case MISDEEDS:
        break;
    }
    result_send(run, result, wire_result_size(state_size, result->troubled));
    free(result);
}

/* From the misdeed on it is given up, so that all that it sends then is late. */
static void deceive(const struct run *run, enum misdeed misdeed)
{
    struct worker_context context;
    struct failure failure = FAILURE_INIT;
    assert_true(worker_context_init(&context, run, &failure));
    assert_int_equal(beginning_follow(run, &failure), run->comm->rank);
    struct wire_result *proper = result_proper(&context);
    misdeed_do(run, proper, misdeed);
    for (int k = 0; k < 3; k++)
        result_send(run, proper, wire_result_size(run->job->state_size, false));
    free(proper);
    worker_context_release(&context);
}

/* ---- runs ---- */

static struct dispatch *dispatch_make(const struct plan *plan)
{
    struct dispatch *dispatch = dispatch_new_plan(plan);
    return dispatch ? dispatch_new_recovery(dispatch, world.size - 1) : NULL;
}

static void lead(const struct run *run, const struct output_places *places, enum misdeed misdeed)
{
    double loads[3] = {PACKAGE, PACKAGE, PACKAGE};
    int64_t workers[3] = {0, 1, 2};
    const int64_t each = (int64_t)PACKAGE * (world.size - 1);
    struct plan_round rounds[2] = {{TASKS / each, loads},
                                   {1, (double[3]){(double)(TASKS % each), 0, 0}}};
    const struct plan plan = {.tasks = TASKS,
                              .workers = workers,
                              .worker_count = world.size - 1,
                              .rounds = rounds,
                              .round_count = TASKS % each > 0 ? 2 : 1};
    struct run_outcome outcome = {0};
    struct progress silent;
    struct failure failure = FAILURE_INIT;
    progress_init(&silent, NULL, TASKS, 0);
    struct dispatch *dispatch = dispatch_make(&plan);
    assert_non_null(dispatch);
    if (!master_run(run, dispatch, &silent, &outcome, &failure))
        fail_msg("misdeed %d: %s", (int)misdeed, failure.text);
    check_outcome(run->job, &outcome, run->members, misdeed);
    check_ledger(places);
    dispatch_free(&dispatch);
    run_outcome_release(&outcome);
}

/* What nobody was to take, taken: MPI keeps it otherwise. */
static void messages_drop(const struct comm *comm, MPI_Comm mpi)
{
    enum { LOOKS = 1000 };
    for (int look = 0; look < LOOKS; look++) {
        int there = 0, size = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, mpi, &there, &status);
        if (!there)
            continue;
        MPI_Get_count(&status, MPI_BYTE, &size);
        char *bytes = malloc((size_t)size + 1);
        assert_non_null(bytes);
        comm_receive(comm, bytes, (size_t)size, status.MPI_SOURCE, status.MPI_TAG);
        free(bytes);
        look = 0;
    }
}

static void trial(enum misdeed misdeed)
{
    MPI_Comm apart;
    MPI_Comm_dup(MPI_COMM_WORLD, &apart);
    struct comm comm;
    comm_init(&comm, link_mpi(apart));
    char emitted[240];
    snprintf(emitted, sizeof emitted, "%s.results", path);
    struct failure failure = FAILURE_INIT;
    struct output_places places = {0};
    struct job job;
    struct membership members = {.comm = NULL};
    const struct store_setup setup = {.path = path, .emitted = emitted};
    const struct output_info info = {
        .plan = "{}", .emitted = emitted, .conditions.isa = "", .workers = comm.size - 1};
    const struct membership_setup membership = {
        .comm = &comm, .path = path, .command = "scow run", .workers = comm.size - 1};
    census_open(&job, &census_host, &everything);
    if (comm.rank == 0)
        assert_true(outputfile_create(path, &job, &info, &places, &failure));
    struct store *store = store_open_together(&setup, &places, &comm, &job, &failure);
    assert_non_null(store);
    if (comm.rank == 0)
        membership_init(&members, &membership);
    const struct run run = {.comm = &comm,
                            .members = comm.rank == 0 ? &members : NULL,
                            .apart = true,
                            .job = &job,
                            .again = "run the same again",
                            .store = store,
                            .largest_package = PACKAGE,
                            .threads = 1,
                            .buffers = 2};
    struct done_packages done = {0};
    if (comm.rank == 0)
        lead(&run, &places, misdeed);
    else if (comm.rank == 1)
        deceive(&run, misdeed);
    else
        assert_true(worker_run(&run, &done, &failure));
    done_packages_release(&done);
    membership_release(&members);
    assert_true(store_close(&store, &failure));
    comm_barrier(&world);
    snprintf(emitted, sizeof emitted, "%s.results.%d", path, comm.rank);
    unlink(emitted);
    if (comm.rank == 0)
        unlink(path);
    job_close(&job);
    messages_drop(&comm, apart);
    comm_barrier(&world);
    MPI_Comm_free(&apart);
}

static void every_misdeed_counts_for_nothing(void **state)
{
    (void)state;
    for (int misdeed = 0; misdeed < MISDEEDS; misdeed++)
        trial((enum misdeed)misdeed);
}

/* As long as nobody knows how long a package takes, too: one that is silent is lost in the end. */
static void silence_has_a_deadline_at_once(void **state)
{
    static const double least_s = 0.01, most_s = 600;
    const struct liveness_words words = {
        .program = "scow run", .path = path, .state = "nothing is done", .again = "again"};
    struct liveness liveness;
    struct failure failure = FAILURE_INIT;
    (void)state;
    assert_true(liveness_begin(&liveness, &world, &words, most_s, &failure));
    liveness_part(&liveness, least_s, 0);
    if (world.rank == 0) {
        struct comm_event event;
        liveness_work(&liveness, true);
        liveness_await(&liveness, 1, true);
        while (!comm_poll(&world, &event))
            clock_nap(least_s);
        assert_int_equal(event.news, COMM_LOST);
        assert_int_equal(event.peer, 1);
        assert_non_null(strstr(event.why, "it has said nothing for "));
        assert_false(comm_poll(&world, &event)); /* nobody waits for the other one */
    }
    liveness_end(&liveness);
    comm_barrier(&world);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    comm_init(&world, link_mpi(MPI_COMM_WORLD));
    snprintf(path, sizeof path, "lost-test-%ld.h5", (long)getpid());
    comm_broadcast(&world, path, sizeof path);
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_misdeed_counts_for_nothing),
                                       cmocka_unit_test(silence_has_a_deadline_at_once)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
