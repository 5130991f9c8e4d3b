#include "planner/base/process.h"

#include <inttypes.h>
#ifdef __linux__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LARGE = 4 << 20 }; /* bytes */

/* One step of the hash FNV-1a. */
static uint64_t hash_add(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

/* Identifies one boot of a machine and one name space of process ids: within these a process id and
 * its start identify a process. */
static uint64_t machine_here(void)
{
    char boot[64] = "";
    struct stat numbers;
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    const bool there = file && fgets(boot, sizeof boot, file);
    if (file)
        fclose(file);
    if (!there || stat("/proc/self/ns/pid", &numbers) != 0)
        return 0;
    return hash_add(hash_add(0xcbf29ce484222325u, boot, strlen(boot)), &numbers.st_ino,
                    sizeof numbers.st_ino);
}

/* When the process started: field 22 of /proc/NUMBER/stat. Field 2, its name, may contain any
 * characters, so fields are counted from its end. -1: the process has ended, or is a zombie (field
 * 3). */
static int64_t started_when(int64_t number)
{
    enum { STARTED = 22, NAME = 2 };
    char path[48], line[1024];
    snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", number);
    FILE *file = fopen(path, "r");
    const size_t size = file ? fread(line, 1, sizeof line - 1, file) : 0;
    if (file)
        fclose(file);
    line[size] = '\0';
    const char *at = strrchr(line, ')');
    if (at && strncmp(at, ") Z", 3) == 0)
        return -1;
    for (int field = NAME; at && field < STARTED; field++)
        at = strchr(at + 1, ' ');
    char *end = NULL;
    const long long started = at ? strtoll(at, &end, 10) : -1;
    return end && end > at + 1 ? started : -1;
}

double process_age_s(void)
{
#ifdef CLOCK_BOOTTIME
    struct timespec now;
    const int64_t started = started_when((int64_t)getpid());
    const long ticks = sysconf(_SC_CLK_TCK);
    if (started > 0 && ticks > 0 && clock_gettime(CLOCK_BOOTTIME, &now) == 0) {
        const double age_s =
            (double)now.tv_sec + 1e-9 * (double)now.tv_nsec - (double)started / (double)ticks;
        return age_s > 0 ? age_s : 0;
    }
#endif
    return 0;
}

struct process process_self(void)
{
    const int64_t number = getpid();
    return (struct process){machine_here(), number, started_when(number)};
}

static bool is_here(const struct process *process)
{
    return process->machine != 0 && process->machine == machine_here() && process->started >= 0;
}

bool process_is_alive(const struct process *process)
{
    return is_here(process) && process->number != getpid() &&
           started_when(process->number) == process->started;
}

bool process_has_ended(const struct process *process)
{
    return is_here(process) && started_when(process->number) != process->started;
}

void process_kill(const struct process *process)
{
    if (process_is_alive(process))
        kill((pid_t)process->number, SIGKILL);
}

int64_t process_peak(void)
{
#ifdef __linux__
    struct rusage used;
    return getrusage(RUSAGE_SELF, &used) == 0 ? (int64_t)used.ru_maxrss * 1024 : 0; /* KiB */
#else
    return 0;
#endif
}

void process_peak_begin(void)
{
    static const char peak[] = "5"; /* resets the peak: see clear_refs in proc(5) */
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file) {
        fputs(peak, file);
        fclose(file);
    }
}

void process_separate_large(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, LARGE); /* a threshold that is set no longer adapts itself */
#endif
}

void process_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
