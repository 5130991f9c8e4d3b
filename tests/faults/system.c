/* What ranks ask of the operating system, answered by the simulated world: memory, processes,
 * signals; and the parts of the product that a run without input and without HDF5 does not need. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "planner/base/process.h"
#include "spmd/input/digest.h"
#include "spmd/node/processor_time.h"
#include "spmd/protocol/fault.h"
#include "spmd/protocol/interrupt.h"
#include "spmd/protocol/run_conditions.h"
#include "spmd/run/usage.h"
#include "tests/faults/world.h"

/* ---- memory -------------------------------------------------------------------------------- */

/* The header of every piece of memory: its owner. Other functions of the C library return memory
 * without it. */
struct block {
    struct block *next, **link;
    void *base;
    size_t size;
    struct rank *rank; /* NULL: no rank */
    uint64_t sign;
};

enum { FRONT = 64 };
static const uint64_t block_sign = 0x5ca1ab1e0ddba11u;
_Static_assert(sizeof(struct block) <= FRONT, "what is behind must stay aligned");

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
void __real_free(void *piece);
void __wrap_free(void *piece);
_Noreturn void __wrap__exit(int status);

static void rank_holds(struct rank *rank, size_t more)
{
    rank->held += more;
    rank->peak = rank->held > rank->peak ? rank->held : rank->peak;
}

static struct block *others; /* not owned by a rank */

static void *block_put(char *base, size_t front, size_t size)
{
    if (!base)
        return NULL;
    struct block **list = world.current ? &world.current->blocks : &others;
    struct block *block = (struct block *)(void *)(base + front - FRONT);
    *block = (struct block){*list, list, base, size, world.current, block_sign};
    if (world.current)
        rank_holds(world.current, size);
    if (*list)
        (*list)->link = &block->next;
    *list = block;
    return base + front;
}

static void block_drop(struct block *block)
{
    *block->link = block->next;
    if (block->next)
        block->next->link = block->link;
    block->sign = 0;
    if (block->rank)
        block->rank->held -= block->size;
    __real_free(block->base);
}

void *__wrap_malloc(size_t size)
{
    return block_put(__real_malloc(FRONT + size), FRONT, size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *piece = __wrap_malloc(count * size);
    return piece ? memset(piece, 0, count * size) : NULL;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    const size_t front = alignment > FRONT ? alignment : FRONT;
    return block_put(__real_aligned_alloc(front, front + (size + front - 1) / front * front), front,
                     size);
}

void *__wrap_realloc(void *old, size_t size)
{
    char *piece = __wrap_malloc(size);
    if (piece && old) {
        const struct block *block = (const struct block *)(const void *)((char *)old - FRONT);
        memcpy(piece, old, block->size < size ? block->size : size);
        __wrap_free(old);
    }
    return piece;
}

char *__wrap_strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = __wrap_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

void __wrap_free(void *piece)
{
    if (!piece)
        return;
    struct block *block = (struct block *)(void *)((char *)piece - FRONT);
    if (block->sign == block_sign)
        block_drop(block);
    else
        abort(); /* not allocated here, or freed before */
}

void *world_realloc(void *old, size_t size)
{
    void *room = __real_realloc(old, size);
    if (!room)
        abort();
    return room;
}

size_t memory_drop(struct rank *rank)
{
    size_t count = 0;
    for (; rank->blocks; count++)
        block_drop(rank->blocks);
    return count;
}

/* ---- processes ----------------------------------------------------------------------------- */

_Noreturn void __wrap__exit(int status)
{
    world_say("rank %d exits with %d", world.current->number, status);
    world_leave(world.current, RANK_ENDED, status);
    abort();
}

struct process process_self(void)
{
    const int number = world.current->number + 1;
    return (struct process){world.weather.scattered ? (uint64_t)number : 1, number, 1};
}

bool process_has_ended(const struct process *process)
{
    return process->machine == process_self().machine && !world_lives((int)process->number - 1);
}

bool process_is_alive(const struct process *process)
{
    return process->machine == process_self().machine && world_lives((int)process->number - 1);
}

void process_kill(const struct process *process)
{
    if (process_is_alive(process))
        world_event(0, EVENT_KILL, (int)process->number - 1, 0, NULL);
}

int64_t process_peak(void)
{
    return 1;
}

void process_peak_begin(void)
{
}

void process_separate_large(void)
{
}

void process_trim(void)
{
}

double process_age_s(void)
{
    return 1;
}

void usage_measure(struct run_usage *usage)
{
    *usage = (struct run_usage){.walltime_s = 1};
}

void usage_requested(struct run_request *request)
{
    memset(request, 0, sizeof *request);
}

/* ---- processors, of which some have but a share ------------------------------------------------
 */

bool __wrap_processor_time_team(struct processor_counter *counter, int threads,
                                struct processor_time *now);
char *__wrap_run_conditions_processor(void);

char *__wrap_run_conditions_processor(void)
{
    return strdup("simulated");
}

bool __wrap_processor_time_team(struct processor_counter *counter, int threads,
                                struct processor_time *now)
{
    (void)counter;
    (void)threads;
    *now = (struct processor_time){world.current->worked_s, world.current->queued_s};
    return true;
}

/* ---- the time of day -------------------------------------------------------------------------
 */

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

double world_time_of_day(void)
{
    static const double began_s = 1e9;
    return began_s + world.now_s;
}

/* The time of ranks is simulated, whichever clock they ask for. */
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    if (!world.current)
        return __real_clock_gettime(clock, now);
    const double time_s = world_time_of_day();
    now->tv_sec = (time_t)time_s;
    now->tv_nsec = (long)(1e9 * (time_s - (double)now->tv_sec));
    return 0;
}

/* ---- signals ------------------------------------------------------------------------------- */

void interrupt_watch(void)
{
}

bool interrupt_asked(void)
{
    return world.current->asked;
}

const char *interrupt_name(void)
{
    return world.current->asked ? "SIGTERM" : NULL;
}

bool interrupt_hinted(void)
{
    return world.current->hinted;
}

void interrupt_settle(bool meant)
{
    world.current->asked = world.current->asked || meant;
    world.current->hinted = false;
}

void fault_watch(int file, int64_t place)
{
    (void)file, (void)place;
}

void fault_unwatch(void)
{
}

/* ---- an input that there is not -------------------------------------------------------------- */

struct digest *digest_begin(const struct input *input, const char *known, struct failure *failure)
{
    (void)input, (void)known, (void)failure;
    return NULL;
}

const char *digest_known(struct digest *digest)
{
    (void)digest;
    return "";
}

bool digest_busy(struct digest *digest)
{
    (void)digest;
    return false;
}

void digest_hurry(struct digest *digest)
{
    (void)digest;
}

bool digest_wait(struct digest *digest, struct failure *failure)
{
    (void)digest, (void)failure;
    return true;
}

void digest_free(struct digest **digest)
{
    *digest = NULL;
}
