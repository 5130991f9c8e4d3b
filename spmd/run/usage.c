#define _GNU_SOURCE /* CLOCK_BOOTTIME */
#include "spmd/run/usage.h"

#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* ---- what was asked for -------------------------------------------------------------------- */

/* 0: it is not set, or no number. */
static double number_of(const char *name)
{
    const char *text = getenv(name);
    const double number = text ? strtod(text, NULL) : 0;
    return isfinite(number) && number > 0 ? number : 0;
}

static int64_t count_of(const char *name)
{
    return (int64_t)fmin(number_of(name), 1e9);
}

/* The memory of a node as asked for, by megabytes for a node or for each of its CPUs. */
static double slurm_bytes(void)
{
    const double node = number_of("SLURM_MEM_PER_NODE");
    const double cpus = number_of("SLURM_MEM_PER_CPU") * number_of("SLURM_CPUS_ON_NODE");
    return 1048576 * (node > 0 ? node : cpus);
}

static void slurm_read(struct run_request *request)
{
    const double start_s = number_of("SLURM_JOB_START_TIME"),
                 end_s = number_of("SLURM_JOB_END_TIME");
    const int64_t threads = count_of("SLURM_CPUS_PER_TASK");
    snprintf(request->by, sizeof request->by, "slurm");
    snprintf(request->job, sizeof request->job, "%s", getenv("SLURM_JOB_ID"));
    request->walltime_s = start_s > 0 && end_s > start_s ? end_s - start_s : 0;
    request->node_bytes = slurm_bytes();
    request->nodes = count_of("SLURM_JOB_NUM_NODES");
    request->ranks = count_of("SLURM_NTASKS");
    request->threads = threads > 0 ? threads : 1;
}

/* Torque says all of this, other versions of PBS less. */
static void pbs_read(struct run_request *request)
{
    snprintf(request->by, sizeof request->by, "pbs");
    snprintf(request->job, sizeof request->job, "%s", getenv("PBS_JOBID"));
    request->walltime_s = number_of("PBS_WALLTIME");
    request->nodes = count_of("PBS_NUM_NODES");
    request->ranks = count_of("PBS_NP");
    request->threads = 1;
}

void usage_requested(struct run_request *request)
{
    *request = (struct run_request){.nodes = 0};
    if (getenv("SLURM_JOB_ID"))
        slurm_read(request);
    else if (getenv("PBS_JOBID"))
        pbs_read(request);
}

/* ---- what was used ------------------------------------------------------------------------- */

/* Times of a process, in clock ticks. */
struct ticks {
    double used;    /* by the process, and by children that it has waited for */
    double started; /* after the node's start */
};

/* Reads fields 14 to 17 and 22 of /proc/PID/stat, which follow the process's name. False: the
 * process is gone. */
static bool stat_read(long pid, struct ticks *ticks)
{
    enum { NAME = 2, USED_FIRST = 14, USED_LAST = 17, STARTED = 22 };
    char path[48], line[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "r");
    const size_t size = file ? fread(line, 1, sizeof line - 1, file) : 0;
    if (file)
        fclose(file);
    line[size] = '\0';
    *ticks = (struct ticks){0, 0};
    char *at = strrchr(line, ')');
    int number = NAME;
    for (at = at ? strchr(at, ' ') : NULL; at && number < STARTED; at = strchr(at + 1, ' ')) {
        number++;
        if (number >= USED_FIRST && number <= USED_LAST)
            ticks->used += strtod(at, NULL);
        if (number == STARTED)
            ticks->started = strtod(at, NULL);
    }
    return number == STARTED;
}

/* Seconds of the processes that a thread of this process has started and not waited for. */
static double children_seconds(const char *thread)
{
    char path[320], line[4096], *end = line;
    double used = 0;
    struct ticks ticks;
    snprintf(path, sizeof path, "/proc/self/task/%s/children", thread);
    FILE *file = fopen(path, "r");
    const size_t size = file ? fread(line, 1, sizeof line - 1, file) : 0;
    if (file)
        fclose(file);
    line[size] = '\0';
    for (long pid = strtol(line, &end, 10); pid > 0; pid = strtol(end, &end, 10))
        if (stat_read(pid, &ticks))
            used += ticks.used;
    return used / (double)sysconf(_SC_CLK_TCK);
}

static double started_seconds(void)
{
    double all = 0;
    DIR *threads = opendir("/proc/self/task");
    const struct dirent *thread;
    while (threads && (thread = readdir(threads)))
        if (thread->d_name[0] != '.')
            all += children_seconds(thread->d_name);
    if (threads)
        closedir(threads);
    return all;
}

static double seconds_of(const struct rusage *usage)
{
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

/* Seconds since this process was started. */
static double age_seconds(void)
{
    struct timespec now;
    struct ticks ticks;
    if (clock_gettime(CLOCK_BOOTTIME, &now) != 0 || !stat_read((long)getpid(), &ticks))
        return 0;
    return fmax(0, (double)now.tv_sec + 1e-9 * (double)now.tv_nsec -
                       ticks.started / (double)sysconf(_SC_CLK_TCK));
}

void usage_measure(struct run_usage *usage)
{
    struct rusage self, waited;
    *usage = (struct run_usage){.walltime_s = age_seconds()};
    if (getrusage(RUSAGE_SELF, &self) != 0 || getrusage(RUSAGE_CHILDREN, &waited) != 0)
        return;
    usage->processor_s = seconds_of(&self) + seconds_of(&waited) + started_seconds();
}
