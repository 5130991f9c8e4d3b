#include "spmd/transport/process.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* FNV-1a. */
static uint64_t hash_add(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

/* One start of a system, and within it the processes that have numbers of their own. */
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

/* Field 22 of the process's line in /proc; its name, field 2, may hold anything. -1: it is gone, or
 * only waits to be taken note of (field 3). */
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

struct process process_self(void)
{
    const int64_t number = getpid();
    return (struct process){machine_here(), number, started_when(number)};
}

bool process_reach(const struct process *process)
{
    return process->machine != 0 && process->machine == machine_here() && process->started >= 0 &&
           process->number != getpid() && started_when(process->number) == process->started;
}

void process_end(const struct process *process)
{
    if (process_reach(process))
        kill((pid_t)process->number, SIGKILL);
}
