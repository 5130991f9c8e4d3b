/*
 * Results that workers return: master_returns.c keeps their reports, master_collecting.c receives
 * and writes them. Only these two include this.
 */
#ifndef SPMD_MASTER_MASTER_RETURNS_H
#define SPMD_MASTER_MASTER_RETURNS_H

#include "spmd/master/master_state.h"

/* The bytes of so many packages are received at a time. */
enum { UNDER_WAY = 4 };
enum { NO_ROOM = -1 };

/* Memory for the bytes of a package. */
struct room {
    char *bytes; /* owned */
    size_t size;
    bool taken;
};

/* A report whose results are on their way or still to come. */
struct master_return {
    struct master_return *next;
    int member;
    double load;    /* core tasks whose results pass the port with it; 0: with a later one */
    double ready_s; /* when the results were ready to be sent */
    int room;       /* NO_ROOM: its bytes are not being received yet */
    struct link_request receiving;
    size_t size; /* bytes that were received */
    bool arrived;
    double begun_s, end_s; /* on the incoming port, together with those that pass it with them */
    double due_s; /* not taken before this, over an emulated port; 0: at once; HUGE_VAL: it has not
            passed the port yet */
    struct wire_result report[];
};

/* Owned; in the order of reports. */
struct list {
    struct master_return *first, **end;
};

/* What a worker has been asked to return. It is asked for one thing at a time, because it waits
 * until what it returns is taken. */
struct asking {
    int64_t asked;    /* number of the last package that it shall return; -1: none yet */
    int64_t reported; /* number of the last package that it has reported; -1: none */
    bool wanted;      /* it is in trouble, and shall return all */
    bool stopped;     /* it has been stopped, and returns all */
};

struct master_returns {
    struct list coming, kept; /* those kept by workers, as far as is known */
    struct asking *askings;   /* owned; one for each worker; NULL: no worker keeps results */
    bool wanted;              /* `wanted` of some worker */
    int64_t tasks;            /* core tasks whose results are or were kept, and not taken yet */
    bool unwritable;          /* the store has failed */
    struct room rooms[UNDER_WAY];
    double port_free_s; /* when the real port is free */
};

/* Has it results, and is it from that worker? */
static inline bool is_returned(const struct master_return *each, int member)
{
    return each->member == member && each->report->returned > 0;
}

/* Takes it out of the list, which no longer owns it; `at` points to it. */
struct master_return *returns_unlink(struct list *list, struct master_return **at);
/* Forgets a return of which nothing more will come. */
void return_free(struct master_returns *returns, struct master_return *gone);
/* False: out of memory. */
bool room_reserve(struct room *room, size_t size);
/* NO_ROOM: no room is free. */
int room_find(const struct master_returns *returns);
/* The results that this worker has kept come now, through the port as one transfer. */
void master_returns_come(struct master *master, int member);

#endif
