#include "spmd/serve/work.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/command/command.h"
#include "planner/base/options.h"
#include "spmd/launch/launch.h"
#include "spmd/serve/session.h"

enum { PATIENCE_USUAL = 60 };

struct work_options {
    const char *access, *input, *ends, *parts;
    double patience_s;
    bool quiet, version;
};

static bool options_parse_all(int argc, char **argv, struct work_options *options, bool *over,
                              struct failure *failure)
{
    const struct comm alone = {.rank = 0, .size = 1};
    const struct option_row rows[] = {
        {'i', "input", "INPUT", OPTION_TEXT, &options->input,
         "this machine's copy of the input, where workers read it by themselves (calibrate "
         "--staged); its digest is compared with the master's (the master's name of it)"},
        {0, "until", "TIME", OPTION_TEXT, &options->ends,
         "leave by then: 2h30m, 45s (from now), 18:30, 2026-11-23T18:30; none (default: the end of "
         "the job, as Slurm or PBS says)"},
        {0, "patience", "SECONDS", OPTION_NUMBER, &options->patience_s,
         "wait for the master and its access file for so long, at first and when it is gone (60)"},
        {0, "parts", "DIR", OPTION_TEXT, &options->parts,
         "give results of chunks that are in this folder (scow chunk) in place of computing them"},
        launch_row("quiet", &options->quiet),
        launch_row("version", &options->version),
    };
    const struct option_table table = {
        .usage = "scow work ACCESS [options]",
        .purpose =
            "Join a run that 'scow serve' leads, whose access file this is, at any time, and "
            "work until everything is done. SIGTERM: leave after the package at hand.",
        .rows = rows,
        .row_count = sizeof rows / sizeof *rows,
        .epilogue =
            "Threads: what the plan says, or OMP_NUM_THREADS, or the cores that this process "
            "may use.\nExit: 0 done, or left as asked; 1 failed, 2 usage, 4 this node, the "
            "access file or the job do not match, 75 the master did not come back.\n",
    };
    char *operand = NULL;
    int operands = 0;
    if (!launch_options(&alone, &table, argc, argv, &operand, 1, &operands, &options->version, over,
                        failure))
        return false;
    options->access = operand;
    if (*over)
        return true;
    if (!options->access)
        return failure_set(failure, FAILURE_USAGE,
                           "the access file is missing: see scow work --help");
    return launch_patience_check(options->patience_s, failure);
}

/* ---- a process for each session ------------------------------------------------------------- */

static volatile sig_atomic_t child, asked;

/* A signal may be sent to this process alone or to its group: either way the child gets it at least
 * once. */
static void pass_on(int number)
{
    (void)number;
    asked = 1;
    if (child > 0)
        kill((pid_t)child, SIGTERM);
}

/* Signals are blocked until `child` is set, so that none is lost between fork and that. */
static void signals_hold(bool hold)
{
    sigset_t both;
    sigemptyset(&both);
    sigaddset(&both, SIGTERM);
    sigaddset(&both, SIGINT);
    sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &both, NULL);
}

static _Noreturn void child_run(const struct session_setup *setup)
{
    struct failure failure = FAILURE_INIT;
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signals_hold(false);
    command_spawner_begin(); /* forks, so it must come before there are threads */
    session_run(setup, &failure);
    if (failure.code != FAILURE_NONE)
        fprintf(stderr, "scow work: %s\n", failure.text);
    fflush(NULL);
    _exit((int)failure.code);
}

/* The process's exit code; after a signal 128 plus its number, as in shells. */
static int child_await(pid_t process)
{
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Joins again and again: a master that was stopped may be resumed, and goes on from what it has
 * stored. */
static int sessions_run(const struct session_setup *setup, struct failure *failure)
{
    int code = FAILURE_STOPPED;
    while (code == FAILURE_STOPPED && !asked) {
        fflush(NULL);
        signals_hold(true);
        const pid_t process = fork();
        if (process == 0)
            child_run(setup);
        child = process > 0 ? process : 0;
        signals_hold(false);
        if (process < 0) {
            failure_set(failure, FAILURE_FAILED,
                        "no process can be started: %s: allow more processes (ulimit -u)",
                        strerror(errno));
            return FAILURE_FAILED;
        }
        code = child_await(process);
        child = 0;
    }
    return asked ? 0 : code;
}

static int work_run(const struct work_options *options, struct failure *failure)
{
    struct access access;
    struct session_setup setup = {.access = &access,
                                  .patience_s = options->patience_s,
                                  .input = options->input,
                                  .parts = options->parts};
    struct sigaction action = {.sa_handler = pass_on};
    if (!launch_threads_check(failure) ||
        (options->ends && !until_parse(&setup.until, options->ends, until_now(), failure)))
        return (int)failure->code;
    if (!options->ends)
        until_ask(&setup.until, until_now());
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    if (access_await(&access, options->access, options->patience_s, &asked, failure))
        return sessions_run(&setup, failure);
    if (asked) /* stopped before it had begun: no failure */
        *failure = (struct failure)FAILURE_INIT;
    return (int)failure->code;
}

int work_main(int argc, char **argv)
{
    struct work_options options = {.patience_s = PATIENCE_USUAL};
    struct failure failure = FAILURE_INIT;
    bool over = false;
    signal(SIGXFSZ, SIG_IGN);
    int code = 0;
    if (options_parse_all(argc, argv, &options, &over, &failure) && !over)
        code = work_run(&options, &failure);
    if (failure.code == FAILURE_NONE)
        return code;
    fprintf(stderr, "scow work: %s\n", failure.text);
    return (int)failure.code;
}
