/*
 * What runs commands on a worker: a slot for each that runs at a time, and one loop that waits for
 * all of them. Lines are counted from the package's first.
 */
#ifndef KERNEL_COMMAND_WORKER_H
#define KERNEL_COMMAND_WORKER_H

#include <poll.h>
#include <sys/types.h>

#include "kernel/command/command.h"
#include "kernel/command/environment.h"
#include "kernel/command/limit.h"
#include "kernel/command/lines.h"
#include "kernel/command/spawner.h"
#include "kernel/command/template.h"

struct slot;
struct worker;

/* A way to run commands, one for each word of --per. */
struct mode {
    const char *method;
    bool answers; /* lines go to standard input, and lines come back */
    bool lasting; /* a command outlives packages */
    /* Give the slot work, if there is any; its command does not run, or is lasting and idle. */
    void (*give)(struct worker *worker, struct slot *slot);
    /* Bytes of standard output, with room for a piece's header before them. */
    void (*take)(struct worker *worker, struct slot *slot, char *bytes, size_t size);
    /* The slot's command is over, and its output is read. */
    void (*over)(struct worker *worker, struct slot *slot);
};

extern const struct mode mode_task, mode_package, mode_worker;

enum {
    COMMAND_FIELDS = 10,
    PATH_SIZE = 4096,
    BUFFER_SIZE = 1 << 16,
    POLLS_EACH = 3,   /* of a slot: input, standard output, standard error */
    NUMBER_ROOM = 40, /* of a variable that is a number */
    OUT_ROOM = 60,    /* after the folder, in a path of a command */
    VARIABLES_SIZE = 5 * NUMBER_ROOM + PATH_SIZE + OUT_ROOM, /* of a command's own */
};

/* Row of /result. */
struct record {
    double seconds, start_s; /* ...; since 1970 */
    int64_t sizes[2];        /* of standard output and error */
    int32_t exit;            /* code; -N: signal N ended it */
    int32_t worker, attempts;
    int32_t peak_kib; /* of memory; 0: not known; where older versions had nothing */
    char text[];      /* what is kept of them */
};

/* What to run, and how lines are read for it. */
struct form {
    struct template template;
    struct columns columns;
    const struct mode *mode;
    int64_t header; /* lines before the first task */
};

/* A job of the core task, read-only. */
struct job {
    struct form form;
    struct environment environment;
    const char *command, *halt_text; /* borrowed from the setup */
    struct limit timeout, halt;
    struct line_bounds bounds;
    int64_t retries, output_most;
    double grace_s;
    int jobs;                             /* 0: as many as threads */
    size_t keep, record_size, words_most; /* bytes; of a command's words */
    struct scow_field fields[COMMAND_FIELDS + 1];
};

enum slot_kill { KILL_NOT, KILL_ASKED, KILL_FORCED };

/* A command that runs, or may. */
struct slot {
    int number;
    bool running;   /* asked for, and not yet found over */
    bool ended;     /* the process has; its output may go on */
    int error;      /* errno: it could not be started */
    int exit;       /* code, or -signal; once ended */
    int input;      /* pipes; -1: closed */
    int outputs[2]; /* standard output, error */
    const char *unwritten;
    size_t unwritten_size;
    /* Lines [begun, given) were given to the command; the slot has those up to `end` to do. Those
     * before `next`, which begins at `line`, are done. */
    int64_t begun, next, given, end;
    const char *line;
    int attempt;        /* of `next`, from 1 */
    int answered;       /* lines, by the command that runs; up to INT_MAX */
    bool alone;         /* lines are tried again, each in a process of its own */
    bool partial;       /* a line of output has begun */
    bool excess;        /* more output than lines */
    bool retired;       /* it closed its input before it had read all; or long-lived, its output */
    bool flooded;       /* more output for a line than is allowed */
    bool timed_out;     /* after limit_s */
    bool out_of_memory; /* it was killed, as memory had run out */
    bool lost;          /* with the process that had started it */
    int refusals;       /* of starting, by a system short of something */
    enum slot_kill kill;
    double kill_s, ended_s, wake_s; /* times: of the next step of killing; ...; to start again */
    double closed_s;                /* its input was, to see whether it answers then; or 0 */
    int input_probe;                /* which of the worker's such tries that was, from 1 */
    double input_patience;          /* the worker's, then */
    double start_s, fed_s, turn_s;  /* of the command; of its last lines; of `next` */
    double seconds, limit_s;        /* it ran; it may run */
    int64_t peak_kib;               /* of memory, so far as it is known */
    double line_s;                  /* it takes for a line, lately */
    /* Of its first command, where that is long-lived: when it answered first, how long that took
     * it, and its later answers. */
    double first_s, first_took_s, later_s;
    int later;
};

/* One workspace. Behind it are the slots, what poll needs, the words of a command, a buffer. */
struct worker {
    const struct scow_host *host;
    const struct job *job;
    const struct scow_batch *batch;
    struct spawner spawner;
    char program[PATH_SIZE]; /* found once, where all lines have the same */
    char out[PATH_SIZE];     /* the folder of commands' own paths; "": none */
    int64_t out_group;       /* the last one made in it */
    struct slot *slots;
    int slot_count;
    struct pollfd *polls;
    char *words, *buffer;
    struct lines lines; /* at the first that no slot was given */
    int64_t end, parts; /* the last line of the batch, and one; slots that got a part of it */
    int64_t finished, failed;
    bool answered;    /* a long-lived command did, without its input being closed */
    int input_probes; /* of silent ones that answered once it was */
    double
        input_patience; /* by which a silent one is left longer; doubled where one took its time */
    int64_t peak_kib;   /* the most that a command had */
    int64_t kills;      /* of processes on the node, for memory, when last looked */
    int64_t left_kib;   /* of memory, at left_s */
    double left_s, look_s; /* of the next look at long-lived commands */
    int looks;             /* that are not answered yet */
    struct durations durations;
    struct scow_others others; /* workers, as far as they have told */
    double now_s, epoch_s;     /* monotonic; to be added for the time of day */
    double begun_s;            /* long-lived commands were started before there were lines; 0: no */
    bool ready_told;           /* and it has been said when they were ready */
    int status;                /* enum scow_status */
};

/* Of its files each calls only those above it here. */

/* ---- workspace.c: where the parts of a worker lie, its clock, its failure ---- */

size_t worker_size(const struct job *job, int threads);
/* Slots and buffers have their places after the workspace from now on. */
void worker_lay_out(struct worker *worker, int threads);
/* Seconds, monotonic; since 1970. */
double worker_clock(void);
double worker_time_of_day(void);
/* The run cannot go on. */
void worker_fail(struct worker *worker, const char *what, int error);

/* ---- program.c ---- */

/* The file that is run for `name`, looked for in the folders of `places` (NULL: of PATH), or where
 * it names a file itself, seen from `folder` ("": from here). False: there is none; errno says why.
 */
bool program_find(const char *name, const char *places, const char *folder, char path[PATH_SIZE]);

/* ---- environment.c: of a worker, and of a command ---- */

/* Before any command: folders are there, or made. enum scow_status. */
int environment_begin(struct worker *worker, const struct scow_host *host);
/* Tell the new connection. False: it is lost. */
bool environment_prepare(const struct worker *worker);
/* The variables of the slot's next command, each with a final zero; returns their bytes, at most
 * VARIABLES_SIZE. */
size_t variables_print(struct worker *worker, const struct slot *slot, char *variables, int *count);

/* ---- scarcity.c: memory of commands ---- */

/* There is memory for one more, as far as those before tell: else it waits for another to end. */
bool memory_suffices(struct worker *worker);
/* The command was killed: was it for memory? */
bool memory_ended(struct worker *worker);

/* ---- slot.c: a slot and the process of its command ---- */

/* It can be given work. */
bool slot_able(const struct worker *worker, const struct slot *slot);
bool slot_idle(const struct slot *slot);
/* Start a command for lines [next, given) of the slot. */
void slot_start(struct worker *worker, struct slot *slot);
/* Have lines [next, given) written to its input. */
void slot_feed(struct worker *worker, struct slot *slot);
void slot_write(struct worker *worker, struct slot *slot);
/* At most BUFFER_SIZE bytes of stream 0, standard output, or 1, standard error; as read(2). */
ssize_t slot_read(struct worker *worker, struct slot *slot, int stream, char *bytes);
/* End its process group: SIGTERM, and after the grace SIGKILL, which is slot_force. */
void slot_kill(struct worker *worker, struct slot *slot);
void slot_force(struct worker *worker, struct slot *slot);
/* Forget a command that has ended. */
void slot_end(struct worker *worker, struct slot *slot);
void slot_close(struct slot *slot);

/* ---- results.c: what becomes of lines ---- */

/* Output of line `index`; room for a header is before the bytes. */
void result_add(struct worker *worker, struct slot *slot, int64_t index, int stream, char *bytes,
                size_t size);
/* Forget what a failed attempt left. */
void result_reset(struct worker *worker, int64_t index);
void result_done(struct worker *worker, const struct slot *slot, int64_t index, double seconds);
void result_failed(struct worker *worker, const struct slot *slot, int64_t index, double seconds);
/* What the slot's last line is told of memory. */
void result_weigh(struct worker *worker, const struct slot *slot);
/* What other workers have come to counts for limits, too. */
void others_look(struct worker *worker);
/* Of the whole batch, once nothing more is added: make what is kept text. */
void results_clean(const struct worker *worker);
/* The command ended as it should. */
bool slot_succeeded(const struct slot *slot);
/* ---- readiness.c: how long a long-lived command takes before it can answer ---- */

/* Start them: they load while the first lines are on their way. enum scow_status. */
int readiness_begin(struct worker *worker, const struct scow_host *host);
/* One of them has answered a line. */
void readiness_note(const struct worker *worker, struct slot *slot, double seconds);
/* After a batch: say it, once it is known. */
void readiness_tell(struct worker *worker);

/* ---- answers.c: lines in, lines out ---- */

void answers_take(struct worker *worker, struct slot *slot, char *bytes, size_t size);
/* A long-lived command owes an answer: find out about one that never gives any. */
void answers_await(struct worker *worker, struct slot *slot);
/* Line `next` is answered. */
void answers_next(struct worker *worker, struct slot *slot, double seconds);
/* Line `next` is given up. */
void answers_fail(struct worker *worker, struct slot *slot);

/* ---- slot_events.c: what a slot's command does, and what follows for its lines ---- */

/* Take in what it has written to stream 0, standard output, or 1, standard error. False: nothing
 * was there. */
bool slot_take(struct worker *worker, struct slot *slot, int stream);
void slot_report(struct worker *worker, const struct spawner_report *report);
/* The process that started its command has ended: lines that are not done are tried again. */
void slot_lose(struct worker *worker, struct slot *slot);
/* What is due: its end, a kill, a timeout. */
void slot_check(struct worker *worker, struct slot *slot);

/* ---- worker.c: the loop that waits for all of them ---- */

/* enum scow_status. */
int worker_start(struct worker *worker, const struct scow_host *host, const struct job *job);
int worker_compute(struct worker *worker, const struct scow_host *host,
                   const struct scow_batch *batch);
void worker_stop(struct worker *worker);

#endif
