/*
 * A whole run in one process: ranks are coroutines, time jumps to the next event, and what happens
 * follows from a seed alone. Events of one moment come in the order in which they were made.
 */
#ifndef TESTS_FAULTS_WORLD_H
#define TESTS_FAULTS_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/faults/fiber.h"

/* Who plays many gives more. */
#ifndef WORLD_RANKS
#define WORLD_RANKS 8
#endif
enum { RANKS_MOST = WORLD_RANKS };

/* ---- chance -------------------------------------------------------------------------------- */

struct dice {
    uint64_t state;
};

/* 0 <= it < below. */
uint64_t dice_below(struct dice *dice, uint64_t below);
/* With that probability. */
bool dice_hit(struct dice *dice, double probability);
/* Between them; the second one as likely for every factor between them (both > 0). */
double dice_between(struct dice *dice, double least, double most);
double dice_about(struct dice *dice, double least, double most);

/* ---- ranks --------------------------------------------------------------------------------- */

enum rank_state { RANK_RUNS, RANK_ENDED, RANK_KILLED };

struct block;

struct rank {
    int number;
    enum rank_state state;
    bool stopped;       /* its process is */
    bool missed;        /* it was to go on meanwhile */
    bool asked, hinted; /* to stop */
    bool news;          /* something has come since it last looked */
    bool wakes;         /* it sleeps, and news wakes it */
    bool told_lost;     /* the master has sent it word that it is lost */
    int status;         /* it ended with */
    double skew_s;      /* of its clock */
    double alarm_s;     /* when its process ends where it waits without looking; 0: never */
    uint64_t turn;      /* its sleeps are counted, so that only the last one's end wakes it */
    int64_t working;    /* the core task that it computes; negative: none */
    double share;       /* of its processor, as it is told where nothing else says */
    double worked_s, queued_s; /* with a processor, and ready for one that others have */
    struct fiber *fiber;
    struct block *blocks; /* of memory that it has */
    size_t held, peak;    /* bytes of them, now and at most */
};

/* How likely what is, in this part of the run. */
struct weather {
    double late_s;    /* the most that a message takes */
    double latency_s; /* and usually */
    double late;      /* probability */
    double doubled;   /* a message arrives twice */
    double damaged;   /* a report arrives changed, or cut short */
    size_t eager;     /* larger ones are under way until they are received */
    double parting;   /* a master is killed while it tells what its star came to */
    double unwritten; /* a write fails, having written some of it */
    double write_s;   /* about what a write takes */
    bool cleanup;     /* the launcher ends all ranks with the first that is killed */
    bool
        scattered; /* every rank is on a machine of its own: of processes the others know nothing */
    bool power;    /* at the end, what was not synchronised may be lost */
};

struct message;

enum event_kind {
    EVENT_WAKE,
    EVENT_DELIVER,
    EVENT_NEWS, /* something that the rank waits for may be over */
    EVENT_WRITE,
    EVENT_KILL,
    EVENT_STOP,
    EVENT_CONTINUE,
    EVENT_ASK,
    EVENT_JUMP
};

struct event {
    double at_s;
    uint64_t number; /* in order of making */
    enum event_kind kind;
    int rank;
    uint64_t turn;
    double seconds; /* of a jump */
    void *what;     /* a message, or a piece of a batch */
};

/* The one that there is: product code knows of none. */
struct world {
    struct dice dice;
    double now_s;
    int ranks;
    struct rank rank[RANKS_MOST];
    struct rank *current; /* NULL: nobody's code runs */
    struct weather weather;
    struct event *events; /* owned; a heap */
    size_t count, capacity;
    uint64_t made;
    FILE *log;       /* NULL: silent */
    int64_t losses;  /* kills and stops so far */
    bool whole;      /* ranks have their processors for all that they sleep */
    bool given_up;   /* in this part, the master has told a rank that it is lost, or has left it a
                      * message that it has not taken */
    char wrong[400]; /* the first thing that was found wrong; "": nothing yet */
};

extern struct world world;

/* A part of the run begins: so many ranks, each with `call`. */
void world_begin(int ranks, void (*call)(void));
/* Until all ranks have ended, or wait for one that does not; false: not by then. */
bool world_run(double until_s);
/* Ranks that are still there are ended, and all that they have is freed. */
void world_end(void);
void world_event(double in_s, enum event_kind kind, int rank, double seconds, void *what);

/* By the rank that runs. Sleep so long; with `wakes`, or until something has come. */
void world_sleep(double seconds, bool wakes);
/* That rank may find something. */
void world_news(int rank);
/* Does not return when it is the rank that runs. */
void world_leave(struct rank *rank, enum rank_state state, int status);
bool world_lives(int rank);

/* What a clock on the wall shows, seconds since 1970. */
double world_time_of_day(void);

/* Memory of nobody in the world: never fails. */
void *world_realloc(void *old, size_t size);
/* Memory of a part, which is gone with it: zero, or anything. */
void *world_room(size_t size);
void *world_space(size_t size);

void world_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Something is wrong with the product. */
void world_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- what the parts of the world do for it --------------------------------------------------- */

void link_begin(void);
void link_deliver(struct message *message);
void disk_piece_write(int rank, void *piece);
void disk_rank_gone(int rank);
/* All memory of a rank. Returns how many pieces there were. */
size_t memory_drop(struct rank *rank);

#endif
