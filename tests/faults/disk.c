#include "tests/faults/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "planner/base/file_lock.h"
#include "planner/base/own.h"
#include "spmd/output/async_writer.h"
#include "spmd/transport/clock.h"
#include "spmd/transport/shared_file.h"
#include "tests/faults/world.h"

/* Descriptors of a rank, or of none: from FIRST + RANK * EACH on. */
enum { FIRST = 100000, EACH = 64, PLACES = RANKS_MOST + 1 };

/* A write that may be lost if power fails. */
struct unsafe {
    int64_t place;
    size_t size, before; /* of what was there before, in `kept` */
};

static struct {
    char *bytes;
    size_t size, room;
    struct unsafe *unsafe;
    size_t unsafe_count, unsafe_room;
    char *kept;
    size_t kept_size, kept_room;
    int64_t writes;
    bool there;
    int age;              /* how many files of that name were removed */
    int ages[RANKS_MOST]; /* age of the file that each rank opened last */
    bool open[RANKS_MOST];
    int next[RANKS_MOST + 1]; /* next descriptor of each rank */
    int place[PLACES];        /* the descriptor that holds the lock; 0: none */
    short kind[PLACES][EACH]; /* of descriptors: FREE, OF_OUTPUT, or of which trace */
} disk;

enum { FREE, OF_OUTPUT, OF_TRACE };

/* The files beside the output: each master's trace and, for each level of a search, what each rank
 * has emitted. */
enum { BESIDES = (1 + DISK_LEVELS) * RANKS_MOST };
static struct beside {
    size_t safe; /* bytes that survive a loss of power */
    char *bytes;
    size_t size, room;
    bool there;
} besides[BESIDES];

void disk_begin(size_t size)
{
    if (size > disk.room) {
        disk.bytes = world_realloc(disk.bytes, size);
        disk.room = size;
    }
    memset(disk.bytes, 0, size);
    disk.size = size;
    disk.writes = 0;
    disk.there = true;
    for (int k = 0; k < BESIDES; k++) {
        besides[k].there = false;
        besides[k].size = besides[k].safe = 0;
    }
    disk_settle();
}

void disk_replace(const char *bytes, size_t size)
{
    disk_vanish();
    if (size > disk.room) {
        disk.bytes = world_realloc(disk.bytes, size);
        disk.room = size;
    }
    disk.size = size;
    disk.there = bytes != NULL;
    if (bytes)
        memcpy(disk.bytes, bytes, size);
    else
        memset(disk.bytes, 0, size);
}

void disk_vanish(void)
{
    memset(disk.bytes, 0, disk.size);
    disk.unsafe_count = disk.kept_size = 0;
    disk.there = false;
    disk.age++;
}

void disk_make(void)
{
    disk.there = true;
}

bool disk_is_there(void)
{
    return disk.there;
}

char *disk_bytes(void)
{
    return disk.bytes;
}

int64_t disk_writes(void)
{
    return disk.writes;
}

void disk_settle(void)
{
    disk.unsafe_count = disk.kept_size = 0;
    memset(disk.next, 0, sizeof disk.next);
    memset(disk.place, 0, sizeof disk.place);
    memset(disk.kind, 0, sizeof disk.kind);
}

/* The end, or something in between, is lost. */
static void beside_lose_power(struct beside *beside)
{
    enum { SECTOR = 512 };
    const size_t size = beside->size;
    const size_t cut = size > 0 ? dice_below(&world.dice, size) / SECTOR * SECTOR : 0;
    const size_t from = cut > beside->safe ? cut : beside->safe;
    if (size > from && dice_hit(&world.dice, 0.5))
        memset(beside->bytes + from, 0, size - from < SECTOR ? size - from : SECTOR);
    else
        beside->size = from;
}

/* The newest write is undone first, so that what was there before is restored. Parts of one place
 * may then become older than they were, as with a disk that writes in an order of its own. */
void disk_lose_power(void)
{
    for (size_t k = disk.unsafe_count; k-- > 0;) {
        const struct unsafe *one = &disk.unsafe[k];
        if (dice_hit(&world.dice, 0.3))
            memcpy(disk.bytes + one->place, disk.kept + one->before, one->size);
    }
    disk.unsafe_count = disk.kept_size = 0;
    for (int k = 0; k < BESIDES; k++)
        if (besides[k].there)
            beside_lose_power(&besides[k]);
}

static void *grown(void *room, size_t *have, size_t want, size_t each)
{
    if (want <= *have)
        return room;
    *have = 2 * want + 64;
    return world_realloc(room, *have * each);
}

/* Has that rank opened a file that has been removed since? */
static bool is_orphan(int rank)
{
    return rank >= 0 && disk.ages[rank] != disk.age;
}

/* Written by that rank; negative: by none. */
static void bytes_put(int rank, int64_t place, const void *bytes, size_t size)
{
    if (size == 0 || is_orphan(rank))
        return;
    if (place < 0 || (size_t)place + size > disk.size) {
        world_wrong("%zu bytes are written at %lld, behind the file's end", size, (long long)place);
        return;
    }
    disk.writes++;
    if (world.weather.power) {
        disk.unsafe =
            grown(disk.unsafe, &disk.unsafe_room, disk.unsafe_count + 1, sizeof *disk.unsafe);
        disk.kept = grown(disk.kept, &disk.kept_room, disk.kept_size + size, 1);
        memcpy(disk.kept + disk.kept_size, disk.bytes + place, size);
        disk.unsafe[disk.unsafe_count++] = (struct unsafe){place, size, disk.kept_size};
        disk.kept_size += size;
    }
    memcpy(disk.bytes + place, bytes, size);
}

static void beside_put(struct beside *beside, int64_t place, const void *bytes, size_t size)
{
    const size_t end = (size_t)place + size;
    if (size == 0)
        return;
    if (place < 0 || (size_t)place > beside->size) {
        world_wrong("%zu bytes are written at %lld of the trace, which leaves a hole", size,
                    (long long)place);
        return;
    }
    beside->bytes = grown(beside->bytes, &beside->room, end, 1);
    memcpy(beside->bytes + place, bytes, size);
    beside->size = end > beside->size ? end : beside->size;
    disk.writes++;
}

/* `beside` NULL: to the output. */
static void put(struct beside *beside, int64_t place, const void *bytes, size_t size)
{
    if (beside)
        beside_put(beside, place, bytes, size);
    else
        bytes_put(world.current ? world.current->number : -1, place, bytes, size);
}

/* Writes as the current rank, in two pieces, between which it may be killed. False: only some of
 * it. */
static bool bytes_write(struct beside *beside, int64_t place, const void *bytes, size_t size)
{
    const struct weather *weather = &world.weather;
    if (!world.current) {
        put(beside, place, bytes, size);
        return true;
    }
    const bool fails = dice_hit(&world.dice, weather->unwritten);
    const size_t cut = size > 1 ? dice_below(&world.dice, size) : 0;
    world_sleep(weather->write_s * dice_between(&world.dice, 0, 1), false);
    put(beside, place, bytes, cut);
    if (cut > 0)
        world_sleep(weather->write_s * dice_between(&world.dice, 0, 1), false);
    if (fails) {
        world_say("a write of rank %d fails", world.current->number);
        return false;
    }
    put(beside, place + (int64_t)cut, (const char *)bytes + cut, size - cut);
    return true;
}

static bool bytes_read(int64_t place, void *bytes, size_t size)
{
    if (place < 0 || (size_t)place + size > disk.size)
        return false;
    memcpy(bytes, disk.bytes + place, size);
    return true;
}

/* ---- over MPI ------------------------------------------------------------------------------ */

bool shared_file_open(struct shared_file *file, const char *path)
{
    *file = (struct shared_file){.open = disk.there && strcmp(path, DISK_PATH) == 0};
    disk.open[world.current->number] = file->open;
    disk.ages[world.current->number] = disk.age;
    return file->open;
}

bool shared_file_read(const struct shared_file *file, int64_t place, void *bytes, size_t size)
{
    (void)file;
    return bytes_read(place, bytes, size);
}

bool shared_file_write(const struct shared_file *file, int64_t place, const void *bytes,
                       size_t size)
{
    (void)file;
    return bytes_write(NULL, place, bytes, size);
}

bool shared_file_sync(const struct shared_file *file)
{
    (void)file;
    world_sleep(world.weather.write_s, false);
    disk.unsafe_count = disk.kept_size = 0;
    return true;
}

bool shared_file_close(struct shared_file *file)
{
    disk.open[world.current->number] = false;
    file->open = false;
    return true;
}

/* ---- by descriptor ------------------------------------------------------------------------- */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __real_access(const char *path, int how);
int __wrap_access(const char *path, int how);
int __real_close(int file);
int __wrap_close(int file);
off_t __real_lseek(int file, off_t place, int from);
off_t __wrap_lseek(int file, off_t place, int from);
int __real_fstat(int file, struct stat *status);
int __wrap_fstat(int file, struct stat *status);
int __real_fsync(int file);
int __wrap_fsync(int file);
ssize_t __real_pread(int file, void *bytes, size_t size, off_t place);
ssize_t __wrap_pread(int file, void *bytes, size_t size, off_t place);
ssize_t __real_pwrite(int file, const void *bytes, size_t size, off_t place);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t place);

static int rank_here(void)
{
    return world.current ? world.current->number : RANKS_MOST;
}

/* The next free descriptor. */
static int descriptor_new(int kind)
{
    const int rank = rank_here();
    int which = disk.next[rank];
    for (int k = 0; k < EACH && disk.kind[rank][which] != FREE; k++)
        which = (which + 1) % EACH;
    if (disk.kind[rank][which] != FREE)
        world_wrong("rank %d has %d files open", rank, (int)EACH);
    disk.next[rank] = (which + 1) % EACH;
    disk.kind[rank][which] = (short)kind;
    if (kind == OF_OUTPUT && world.current)
        disk.ages[rank] = disk.age;
    return FIRST + rank * EACH + which;
}

static short *kind_of(int file)
{
    return &disk.kind[(file - FIRST) / EACH][(file - FIRST) % EACH];
}

/* The file beside the output of that descriptor; NULL: it belongs to the output. */
static struct beside *beside_of(int file)
{
    const int kind = *kind_of(file);
    return kind >= OF_TRACE ? &besides[kind - OF_TRACE] : NULL;
}

/* The master whose trace that is; negative: it is no trace. */
static int trace_number(const char *path)
{
    static const char trace[] = DISK_TRACE;
    const size_t length = sizeof trace - 1;
    if (strncmp(path, trace, length) != 0 || (path[length] != '\0' && path[length] != '.'))
        return -1;
    const int number = path[length] == '.' ? (int)strtol(path + length + 1, NULL, 10) : 0;
    return number < RANKS_MOST ? number : -1;
}

/* The number after that word, if `at` begins with it, and moves behind it; negative: it does
 * not. */
static long number_take(const char **at, const char *word)
{
    const size_t length = strlen(word);
    char *end;
    if (strncmp(*at, word, length) != 0)
        return -1;
    const long number = strtol(*at + length, &end, 10);
    *at = end;
    return number;
}

/* Which file beside the output that is; negative: none. */
static int beside_number(const char *path)
{
    const char *at = path;
    const long level = number_take(&at, "simulated.level"), rank = number_take(&at, ".results.");
    if (level > 0 && level <= DISK_LEVELS && rank >= 0 && rank < RANKS_MOST)
        return (int)(level * RANKS_MOST + rank);
    return trace_number(path);
}

static bool is_there(int number)
{
    return number >= 0 && besides[number].there;
}

static int beside_make(int number)
{
    struct beside *beside = &besides[number];
    beside->there = true;
    beside->size = beside->safe = 0;
    return descriptor_new(OF_TRACE + number);
}

int own_open(const char *path, int flags)
{
    const int number = beside_number(path);
    (void)flags;
    if (disk.there && strcmp(path, DISK_PATH) == 0)
        return descriptor_new(OF_OUTPUT);
    if (is_there(number))
        return descriptor_new(OF_TRACE + number);
    errno = ENOENT;
    return -1;
}

int own_make(const char *path)
{
    const int number = beside_number(path);
    errno = number >= 0 ? EEXIST : EACCES;
    return number < 0 || is_there(number) ? -1 : beside_make(number);
}

int __wrap_access(const char *path, int how)
{
    if (strcmp(path, DISK_PATH) != 0)
        return __real_access(path, how);
    errno = disk.there ? 0 : ENOENT;
    return disk.there ? 0 : -1;
}

int own_open_or_make(const char *path)
{
    const int file = own_open(path, 0);
    return file >= 0 ? file : own_make(path);
}

FILE *own_create(const char *path)
{
    (void)path;
    return NULL;
}

bool own_folder_is_anybodys(const char *path)
{
    (void)path;
    return false;
}

int __wrap_unlink(const char *path)
{
    const int number = beside_number(path);
    const bool output = strcmp(path, DISK_PATH) == 0;
    if (number < 0 && !output)
        return __real_unlink(path);
    const bool was = output ? disk.there : is_there(number);
    if (output)
        disk_vanish();
    else if (was)
        besides[number].there = false;
    errno = was ? 0 : ENOENT;
    return was ? 0 : -1;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
    va_end(arguments);
    if (strcmp(path, DISK_PATH) == 0)
        return descriptor_new(OF_OUTPUT);
    return beside_number(path) >= 0 ? own_open(path, flags) : __real_open(path, flags, mode);
}

int __wrap_close(int file)
{
    if (file < FIRST)
        return __real_close(file);
    for (int place = 0; place < PLACES; place++)
        disk.place[place] = disk.place[place] == file ? 0 : disk.place[place];
    *kind_of(file) = FREE;
    return 0;
}

/* To the end of the file. */
off_t __wrap_lseek(int file, off_t place, int from)
{
    if (file < FIRST)
        return __real_lseek(file, place, from);
    const struct beside *beside = beside_of(file);
    return beside ? (off_t)beside->size : -1;
}

int __wrap_fstat(int file, struct stat *status)
{
    if (file < FIRST)
        return __real_fstat(file, status);
    const struct beside *beside = beside_of(file);
    *status = (struct stat){.st_size = (off_t)(beside ? beside->size : disk.size)};
    return 0;
}

int __wrap_fsync(int file)
{
    if (file < FIRST)
        return __real_fsync(file);
    struct beside *beside = beside_of(file);
    world_sleep(world.weather.write_s, false);
    if (beside)
        beside->safe = beside->size;
    return 0;
}

ssize_t __wrap_pread(int file, void *bytes, size_t size, off_t place)
{
    if (file < FIRST)
        return __real_pread(file, bytes, size, place);
    const struct beside *beside = beside_of(file);
    if (beside) {
        const size_t left = (size_t)place < beside->size ? beside->size - (size_t)place : 0;
        const size_t got = size < left ? size : left;
        if (got > 0)
            memcpy(bytes, beside->bytes + place, got);
        return (ssize_t)got;
    }
    return bytes_read(place, bytes, size) ? (ssize_t)size : 0;
}

ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t place)
{
    if (file < FIRST)
        return __real_pwrite(file, bytes, size, place);
    if (bytes_write(beside_of(file), place, bytes, size))
        return (ssize_t)size;
    errno = ENOSPC;
    return -1;
}

/* ---- locks --------------------------------------------------------------------------------- */

int file_lock_together(const char *path)
{
    return own_open(path, O_RDWR);
}

int file_lock_first(const char *path, struct failure *failure)
{
    (void)failure;
    return own_open(path, O_RDWR);
}

bool file_lock_place(int file, int place)
{
    if (disk.place[place] && disk.place[place] != file)
        return false;
    disk.place[place] = file;
    return true;
}

bool file_lock_taken(int file, int place)
{
    return disk.place[place] && disk.place[place] != file;
}

bool file_lock_publish(int file)
{
    (void)file;
    return true;
}

bool disk_is_open(int rank)
{
    return disk.open[rank];
}

void disk_rank_gone(int rank)
{
    disk.open[rank] = false;
    for (int place = 0; place < PLACES; place++)
        if (disk.place[place] >= FIRST && (disk.place[place] - FIRST) / EACH == rank)
            disk.place[place] = 0;
    memset(disk.kind[rank], FREE, sizeof disk.kind[rank]);
}

/* ---- asynchronous writing ------------------------------------------------------------------ */

/* The thread of asynchronous writing ends with its rank; until then it writes one piece after the
 * other. */
struct piece {
    struct piece *next;
    struct async_writer *writer;
    int64_t place, task;
    size_t size;
    char *bytes;
};

struct async_writer {
    struct piece *first, **last; /* being collected */
    struct piece *writing;       /* NULL: nothing is being written */
    struct async_writer_outcome outcome;
    int rank;
};

struct async_writer *async_writer_new(int file, size_t room)
{
    struct async_writer *writer = world_room(sizeof *writer);
    (void)file, (void)room;
    writer->rank = world.current->number;
    writer->last = &writer->first;
    return writer;
}

bool async_writer_add(struct async_writer *writer, int64_t place, const void *bytes, int64_t size,
                      int64_t task)
{
    struct piece *piece = world_room(sizeof *piece);
    *piece = (struct piece){.writer = writer,
                            .place = place,
                            .task = task,
                            .size = (size_t)size,
                            .bytes = world_room((size_t)size + 1)};
    memcpy(piece->bytes, bytes, (size_t)size);
    *writer->last = piece;
    writer->last = &piece->next;
    return true;
}

void async_writer_drop(struct async_writer *writer)
{
    writer->first = NULL;
    writer->last = &writer->first;
}

static void piece_next(struct async_writer *writer)
{
    const double in_s = 2 * world.weather.write_s * dice_between(&world.dice, 0, 1);
    if (writer->writing)
        world_event(in_s, EVENT_WRITE, writer->rank, 0, writer->writing);
}

void async_writer_begin(struct async_writer *writer)
{
    if (writer->writing)
        world_wrong("rank %d begins to write while it writes", writer->rank);
    writer->writing = writer->first;
    writer->outcome = (struct async_writer_outcome){.end_s = clock_now()};
    async_writer_drop(writer);
    piece_next(writer);
}

void disk_piece_write(int rank, void *what)
{
    struct piece *piece = what;
    struct async_writer *writer = piece->writer;
    if (!world_lives(rank))
        return;
    if (world.rank[rank].stopped) { /* and so are its threads */
        world_event(0.5, EVENT_WRITE, rank, 0, piece);
        return;
    }
    writer->outcome.end_s = world.now_s + world.rank[rank].skew_s;
    if (dice_hit(&world.dice, world.weather.unwritten)) {
        bytes_put(rank, piece->place, piece->bytes, piece->size / 2);
        writer->outcome.failed = true;
        writer->outcome.task = piece->task;
        writer->writing = NULL;
        world_say("an asynchronous write of rank %d fails", rank);
        return;
    }
    bytes_put(rank, piece->place, piece->bytes, piece->size);
    writer->writing = piece->next;
    piece_next(writer);
}

bool async_writer_await(struct async_writer *writer, double most_s,
                        struct async_writer_outcome *outcome)
{
    if (writer->writing && most_s > 0)
        world_sleep(most_s, false);
    *outcome = writer->outcome;
    return !writer->writing;
}

void async_writer_free(struct async_writer **writer)
{
    while (*writer && (*writer)->writing)
        world_sleep(world.weather.write_s, false);
    *writer = NULL;
}
