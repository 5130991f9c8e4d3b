/* scow bench rate --join N: the same to workers that join over ZeroMQ, as with scow serve; all are
 * processes of this machine, made anew for each batch. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spmd/bench/rate_command.h"
#include "spmd/protocol/interrupt.h"
#include "spmd/transport/link_zmq.h"

static const double linger_s = 5, nap_s = 1e-3;

struct joined {
    const struct rate_arguments *arguments;
    struct rate_measured measured;
};

static void comm_open(struct comm *comm, struct link link)
{
    comm_init(comm, link);
    comm->workers_on_node = comm->size - 1;
    comm->nodes = 1;
    comm->first_on_node = comm_leads(comm);
}

/* Of one rank, over a link that all have joined. */
static void part_run(const struct rate_arguments *arguments, struct link link,
                     struct rate_batch *batch, struct failure *failure)
{
    struct comm comm;
    struct liveness liveness = {.comm = NULL};
    const struct liveness_words words = rate_words(arguments);
    comm_open(&comm, link);
    const struct rate_setup setup = {
        .comm = &comm, .output = arguments->output, .ahead = (int)arguments->ahead, .joins = true};
    if (!liveness_begin(&liveness, &comm, &words, rate_patience_s, failure))
        return;
    comm_align_clocks(&comm);
    if (!rate_batch_run(&setup, batch, failure))
        liveness_part(&liveness, rate_patience_s, 0); /* nobody waits for the others' last words */
    liveness_end(&liveness);
}

/* ---- workers -------------------------------------------------------------------------------- */

/* What lets it in comes when the master listens. */
static _Noreturn void worker_be(const struct rate_arguments *arguments, struct rate_batch batch,
                                int from)
{
    struct failure failure = FAILURE_INIT;
    struct access access;
    struct link link;
    if (read(from, &access, sizeof access) != sizeof access)
        _exit(FAILURE_FAILED); /* the master says why */
    if (link_zmq_join(&link, &access, rate_patience_s, &failure)) {
        part_run(arguments, link, &batch, &failure);
        link_zmq_close(&link, linger_s);
    }
    _exit((int)failure.code);
}

/* All that can be started, also on failure. */
static bool workers_start(const struct rate_arguments *arguments, const struct rate_batch *batch,
                          int pipes[2], pid_t *workers, struct failure *failure)
{
    if (pipe(pipes) != 0)
        return failure_set(failure, FAILURE_FAILED,
                           "no pipe can be made: %s: allow more open files (ulimit -n)",
                           strerror(errno));
    fflush(NULL);
    for (int64_t k = 0; k < arguments->join; k++) {
        workers[k] = fork();
        if (workers[k] == 0) {
            close(pipes[1]);
            worker_be(arguments, *batch, pipes[0]);
        }
        if (workers[k] < 0)
            failure_set(failure, FAILURE_FAILED,
                        "a worker cannot be started: %s: start fewer (--join), or allow more "
                        "processes (ulimit -u)",
                        strerror(errno));
    }
    close(pipes[0]);
    return failure->code == FAILURE_NONE;
}

/* After a failure nobody tells them of anything. */
static bool workers_end(const pid_t *workers, int64_t count, struct failure *failure)
{
    const bool failed = failure->code != FAILURE_NONE;
    for (int64_t k = 0; k < count; k++) {
        int status = 0;
        if (failed && workers[k] > 0)
            kill(workers[k], SIGKILL);
        if (workers[k] > 0 && (waitpid(workers[k], &status, 0) < 0 || status != 0))
            failure_set(failure, FAILURE_FAILED, "a worker has ended too early");
    }
    return failure->code == FAILURE_NONE;
}

/* ---- the master ----------------------------------------------------------------------------- */

static bool all_join(struct link link, int64_t count, struct failure *failure)
{
    const double until_s = clock_now() + rate_patience_s;
    while (link_zmq_joined(link) < count && clock_now() < until_s && !interrupt_asked())
        clock_nap(nap_s);
    return link_zmq_joined(link) == count ||
           failure_set(failure, interrupt_asked() ? FAILURE_STOPPED : FAILURE_FAILED,
                       "not all workers have joined: start fewer (--join)");
}

static void batch_lead(const struct rate_arguments *arguments, int to, struct rate_batch *batch,
                       struct failure *failure)
{
    struct access access;
    struct link link;
    if (!access_make(&access, "tcp://127.0.0.1:0", failure) ||
        !link_zmq_listen(&link, &access, (int)arguments->join, NULL, failure))
        return;
    for (int64_t k = 0; k < arguments->join; k++)
        if (write(to, &access, sizeof access) != sizeof access)
            failure_set(failure, FAILURE_FAILED, "workers cannot be told where to join");
    if (all_join(link, arguments->join, failure))
        part_run(arguments, link, batch, failure);
    link_zmq_close(&link, linger_s);
}

static bool batch_run(void *self, struct rate_batch *batch, struct failure *failure)
{
    const struct rate_arguments *arguments = ((struct joined *)self)->arguments;
    pid_t *workers = calloc((size_t)arguments->join, sizeof *workers);
    int pipes[2] = {-1, -1};
    if (!workers)
        return failure_memory(failure, "starting workers");
    if (workers_start(arguments, batch, pipes, workers, failure))
        batch_lead(arguments, pipes[1], batch, failure);
    close(pipes[1]);
    workers_end(workers, arguments->join, failure);
    free(workers);
    return failure->code == FAILURE_NONE;
}

static void told(void *self, const struct rate_batch *batch)
{
    rate_told(&((struct joined *)self)->measured, batch);
}

int main(int argc, char **argv)
{
    const struct comm alone = {.rank = 0, .size = 1};
    struct rate_arguments arguments = rate_arguments_usual();
    struct failure failure = FAILURE_INIT;
    bool over = false;
    signal(SIGXFSZ, SIG_IGN);
    interrupt_watch();
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0);
    if (rate_arguments_parse(&alone, argc, argv, &arguments, &over, &failure) && !over &&
        arguments.join == 0)
        failure_set(&failure, FAILURE_USAGE, "say how many workers shall join: --join N");
    if (failure.code == FAILURE_NONE && !over) {
        struct joined joined = {
            .arguments = &arguments,
            .measured = {.arguments = &arguments, .workers = (int)arguments.join}};
        const struct rate_series series = {batch_run, told, &joined, arguments.seconds};
        if (rate_measure(&series, &failure))
            rate_print(&joined.measured, &failure);
    }
    if (failure.code != FAILURE_NONE)
        fprintf(stderr, "scow bench: %s\n", failure.text);
    return (int)failure.code;
}
