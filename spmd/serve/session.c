#include "spmd/serve/session.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "spmd/chunks/chunks.h"
#include "spmd/chunks/part.h"
#include "spmd/job/kernel.h"
#include "spmd/launch/instructions.h"
#include "spmd/launch/launch.h"
#include "spmd/master/joining.h"
#include "spmd/protocol/beginning.h"
#include "spmd/protocol/run.h"
#include "spmd/run/ending.h"
#include "spmd/transport/link_zmq.h"
#include "spmd/worker/worker.h"

/* Seconds for the last messages of a worker that leaves to be sent. */
static const double linger_s = 10;

struct session {
    const struct session_setup *setup;
    struct link link;
    struct comm comm;
    struct bundle bytes; /* of the letter */
    struct letter letter;
    struct process master;
    struct letter_job told;
    struct plan plan;
    struct profile profile;
    struct kernel kernel;
    struct job job;
    struct input *input; /* owned; what this worker reads itself; NULL: the master sends it */
    struct emulation *costs;
    struct store *store;
    struct liveness liveness;
    struct losses losses;
    struct chunks_job parts_job;
    struct chunks parts;        /* owned; of setup->parts */
    struct part part;           /* owned; the one that was given last */
    double looked_s, longest_s; /* when it was last between two packages, and the longest time from
                                   one package to the next */
};

static volatile sig_atomic_t asked;

static void ask(int number)
{
    (void)number;
    asked = 1;
}

static void asking_watch(void)
{
    const struct sigaction action = {.sa_handler = ask};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
}

/* ---- the job -------------------------------------------------------------------------------- */

static bool letter_open(struct session *session, struct failure *failure)
{
    if (!joining_ask(&session->comm, session->setup->patience_s, &session->bytes, &session->master,
                     failure))
        return false;
    if (!letter_read(&session->letter, session->bytes.bytes, session->bytes.size))
        return failure_set(failure, FAILURE_MISMATCH,
                           "the master is of another build of scow, or of one for other "
                           "processors: use the same one on all nodes");
    memcpy(&session->told, session->letter.parts[LETTER_JOB], sizeof session->told);
    return true;
}

static const char *part(const struct session *session, enum letter_part which)
{
    return session->letter.parts[which];
}

static bool documents_parse(struct session *session, struct failure *failure)
{
    const struct letter *letter = &session->letter;
    const char *name = part(session, LETTER_PLAN_NAME);
    return plan_parse(&session->plan, part(session, LETTER_PLAN), letter->sizes[LETTER_PLAN], name,
                      failure) &&
           (letter->sizes[LETTER_PROFILE] == 0 ||
            profile_parse(&session->profile, part(session, LETTER_PROFILE),
                          letter->sizes[LETTER_PROFILE], "the plan's profile", failure));
}

/* The input must be equal to the master's byte by byte: another one of the same shape would give
 * wrong results. If it is the master's own file, it need not be read for that. */
static bool input_same(const struct session *session, const char *name, struct failure *failure)
{
    char identity[65], digest[65];
    if (!input_identity(session->input, identity, failure))
        return false;
    if (strcmp(identity, part(session, LETTER_IDENTITY)) == 0)
        return true;
    if (!input_sha256(session->input, digest, failure) || !input_untouched(session->input, failure))
        return false;
    return strcmp(digest, part(session, LETTER_DIGEST)) == 0 ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: is not the same here as at the master: copy it anew, or say where it "
                       "is by scow work -i",
                       name);
}

static bool input_make(struct session *session, struct failure *failure)
{
    const enum scow_input_kind kind = (enum scow_input_kind)session->kernel.task->input;
    const char *own = session->setup->input;
    const char *name = own ? own : part(session, LETTER_INPUT);
    if (kind == SCOW_INPUT_NONE)
        return true;
    session->input = input_open(kind, name, failure);
    return session->input && input_load(session->input, failure) &&
           input_same(session, name, failure);
}

static bool job_make(struct session *session, const struct values *values, struct failure *failure)
{
    const size_t size = session->letter.sizes[LETTER_SHARED];
    const char *input =
        session->letter.sizes[LETTER_INPUT] > 0 ? part(session, LETTER_INPUT) : NULL;
    /* A description to read from; nothing of it is changed. */
    const struct description description = {
        .tasks = session->told.tasks,
        .input = session->told.input,
        .shared = size > 0
                      ? session->bytes.bytes + (part(session, LETTER_SHARED) - session->bytes.bytes)
                      : NULL,
        .shared_size = size};
    char method[JOB_METHOD_SIZE];
    if (!job_open(&session->job, session->kernel.task, values, &description, input, failure))
        return false;
    job_method(&session->job, method, sizeof method);
    return strcmp(method, part(session, LETTER_METHOD)) == 0 ||
           failure_set(failure, FAILURE_MISMATCH,
                       "this worker would compute in another way than the master's build (%.100s, "
                       "not %.100s): use the same build and libraries on all nodes",
                       method, part(session, LETTER_METHOD));
}

static bool kernel_make(struct session *session, struct failure *failure)
{
    const struct plan *plan = &session->plan;
    const char *name = part(session, LETTER_PLAN_NAME);
    const struct kernel_name wanted = {plan->kernel, plan->plugin, plan->plugin_sha256};
    struct values values = {0};
    if (!kernel_open(&session->kernel, wanted, NULL, name, failure))
        return false;
    bool good = values_read(&values, session->kernel.task, &plan->parameters, name, true, failure);
    values.write_behind = false; /* results are written by the master */
    if (good && !letter_settle(&values, session->kernel.task, &session->letter))
        good = failure_set(failure, FAILURE_MISMATCH,
                           "%s: its core task has other parameters here than at the master: use "
                           "the same build on all nodes",
                           name);
    good = good && (!values.staged || input_make(session, failure)) &&
           job_make(session, &values, failure);
    values_release(&values);
    return good;
}

static bool costs_make(struct session *session, struct failure *failure)
{
    struct failure unknown = FAILURE_INIT;
    const bool sleeps = session->kernel.task->flags & SCOW_SLEEP;
    const bool known = session->letter.sizes[LETTER_PROFILE] > 0;
    session->costs = emulation_new(known ? &session->profile : NULL, &session->plan, 0,
                                   sleeps ? failure : &unknown);
    return failure->code == FAILURE_NONE;
}

static bool store_make(struct session *session, struct failure *failure)
{
    const char *output = part(session, LETTER_OUTPUT);
    const struct store_setup setup = {.path = output, .emitted = output, .collected = true};
    const struct output_places nowhere = {0};
    session->store = store_open(&setup, &nowhere, &session->comm, &session->job, failure);
    return session->store != NULL;
}

static bool parts_find(struct session *session, struct failure *failure)
{
    const char *folder = session->setup->parts;
    return !folder ||
           (chunks_job_read(&session->parts_job, folder, failure) &&
            chunks_make(&session->parts, &session->parts_job, session->told.tasks, failure));
}

/* Gives the results of that chunk's file, after a check that they were computed in the same way. */
static bool part_give(void *self, const struct package *package, struct run_given *given)
{
    struct session *session = self;
    const int64_t number = chunks_find(&session->parts, package->first, package->count);
    struct failure unreadable = FAILURE_INIT;
    bool there = false;
    char *path = number >= 0 ? chunks_path(session->setup->parts, "chunk", number) : NULL;
    part_release(&session->part);
    const bool good =
        path && part_read(&session->part, path, session->job.state_size, &there, &unreadable);
    free(path);
    if (!good || strcmp(session->part.head.method, part(session, LETTER_METHOD)) != 0 ||
        session->part.head.package.first != package->first ||
        session->part.head.package.count != package->count)
        return false;
    *given = (struct run_given){session->part.report, session->part.head.report_size,
                                session->part.packed, session->part.head.packed_size};
    return true;
}

static bool job_prepare(struct session *session, struct failure *failure)
{
    return documents_parse(session, failure) &&
           instructions_pin(part(session, LETTER_ISA), &session->comm, failure) &&
           kernel_make(session, failure) && costs_make(session, failure) &&
           parts_find(session, failure) && store_make(session, failure);
}

/* ---- leaving -------------------------------------------------------------------------------- */

/* Leaves the run. The master has all results of this worker; packages that it was sent but has not
 * begun go to others. */
static void leave(void *self)
{
    struct session *session = self;
    struct failure changed = FAILURE_INIT;
    if (session->input && !input_unchanged(session->input, part(session, LETTER_DIGEST), &changed))
        fprintf(stderr, "scow work: %s\n", changed.text);
    liveness_leave(&session->liveness, asked);
    link_zmq_close(&session->link, linger_s);
    fflush(NULL);
    _exit((int)changed.code);
}

/* Between two packages: is it time to leave, because there is no time for a package as long as the
 * longest so far? */
static bool leaves(void *self)
{
    struct session *session = self;
    const struct until *until = &session->setup->until;
    const double now_s = clock_now();
    session->longest_s = fmax(session->longest_s, now_s - session->looked_s);
    session->looked_s = now_s;
    return asked || (until->known && until_left_s(until, until_now()) < session->longest_s);
}

/* ---- the run -------------------------------------------------------------------------------- */

static int threads_of(const struct session *session)
{
    return session->plan.threads > 0 ? session->plan.threads : launch_threads(&session->comm);
}

static void take_part(struct session *session, struct failure *failure)
{
    const struct run run = {.comm = &session->comm,
                            .liveness = &session->liveness,
                            .master = session->master,
                            .patience_s = session->told.patience_s,
                            .apart = true,
                            .job = &session->job,
                            .input = session->input,
                            .store = session->store,
                            .losses = &session->losses,
                            .costs = session->costs,
                            .emulation =
                                session->kernel.task && (session->kernel.task->flags & SCOW_SLEEP)
                                    ? session->costs
                                    : NULL,
                            .collects = true,
                            .senses = true,
                            .largest_package = session->told.largest_package,
                            .threads = threads_of(session),
                            .buffers = (int)session->told.buffers,
                            .given = session->setup->parts ? part_give : NULL,
                            .given_self = session,
                            .leaves = leaves,
                            .leave = leave,
                            .leaves_self = session};
    struct done_packages done = {0};
    struct run_outcome outcome = {0};
    session->looked_s = clock_now();
    if (failure->code != FAILURE_NONE) { /* tells the master, and takes no part */
        beginning_follow(&run, failure);
        return;
    }
    worker_run(&run, &done, failure);
    const struct ending ending = {.closing = {.run = &run,
                                              .input = session->input,
                                              .digest = part(session, LETTER_DIGEST),
                                              .even = true},
                                  .output = part(session, LETTER_OUTPUT)};
    ending_follow(&ending, &done, &outcome, failure);
    done_packages_release(&done);
    run_outcome_release(&outcome);
}

static void session_release(struct session *session, struct failure *failure)
{
    store_close(&session->store, failure);
    emulation_free(&session->costs);
    if (session->job.is_open)
        job_close(&session->job);
    input_close(&session->input);
    kernel_close(&session->kernel);
    part_release(&session->part);
    chunks_release(&session->parts);
    plan_release(&session->plan);
    profile_release(&session->profile);
    bundle_release(&session->bytes);
    link_zmq_close(&session->link, linger_s);
}

void session_run(const struct session_setup *setup, struct failure *failure)
{
    struct session session = {.setup = setup, .losses = {.file = -1}};
    const struct liveness_words words = {.program = "scow work",
                                         .path = setup->access->address,
                                         .state = "there is no package yet",
                                         .again = "it is joined again when it is back"};
    if (!link_zmq_join(&session.link, setup->access, setup->patience_s, failure))
        return;
    comm_init(&session.comm, session.link);
    session.comm.workers_on_node = session.comm.nodes = 1;
    session.comm.first_on_node = true;
    if (liveness_begin(&session.liveness, &session.comm, &words, setup->patience_s, failure) &&
        letter_open(&session, failure)) {
        asking_watch();
        job_prepare(&session, failure);
        take_part(&session, failure);
    }
    /* The master goes on with the other workers, and sends no last message to one that cannot take
     * part: so nothing is waited for. */
    liveness_part(&session.liveness, setup->patience_s, 0);
    liveness_end(&session.liveness);
    session_release(&session, failure);
}
