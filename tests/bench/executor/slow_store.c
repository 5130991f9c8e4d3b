/* Preloaded into scow: what its workers' writes cost, and a store that makes them wait. Every write
 * takes SLOW_STORE_LATENCY seconds more, and so much as it has bytes at SLOW_STORE_RATE a second,
 * asleep: as on a network file system that answers when its server has the bytes. At the end a rank
 * adds three numbers to SLOW_STORE_LOG: seconds within writes, for how many of them a processor was
 * at work, and for how many the writer was ready and others had the processor. Only positioned
 * writes count, which is how MPI-IO writes, and the thread that writes behind computing; the two
 * never at once. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double within_s, worked_s, queued_s;

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* For how long this rank was ready and waited for a processor, which Linux calls run delay. */
static double delay(void)
{
    static _Thread_local int file = -1;
    char text[80];
    if (file < 0)
        file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    const ssize_t size = file >= 0 ? pread(file, text, sizeof text - 1, 0) : 0;
    text[size > 0 ? size : 0] = '\0';
    const char *second = strchr(text, ' ');
    return second ? 1e-9 * strtod(second, NULL) : 0;
}

static double number(const char *name)
{
    const char *text = getenv(name);
    return text ? strtod(text, NULL) : 0;
}

static int is_worker(void)
{
    const char *rank = getenv("PMI_RANK");
    return rank && strcmp(rank, "0") != 0;
}

static void store_wait(size_t count)
{
    static double latency_s = -1, rate;
    if (latency_s < 0) {
        latency_s = number("SLOW_STORE_LATENCY");
        rate = number("SLOW_STORE_RATE");
    }
    const double wait_s = latency_s + (rate > 0 ? (double)count / rate : 0);
    const time_t whole = (time_t)wait_s;
    const struct timespec nap = {whole, (long)(1e9 * (wait_s - (double)whole))};
    if (wait_s > 0)
        nanosleep(&nap, NULL);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset)
{
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pwrite64");
    if (!is_worker())
        return real(file, bytes, count, offset);
    const double start_s = seconds(CLOCK_MONOTONIC), before_s = seconds(CLOCK_THREAD_CPUTIME_ID);
    const double delay_s = delay();
    const ssize_t written = real(file, bytes, count, offset);
    store_wait(count);
    within_s += seconds(CLOCK_MONOTONIC) - start_s;
    worked_s += seconds(CLOCK_THREAD_CPUTIME_ID) - before_s;
    queued_s += delay() - delay_s;
    return written;
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset)
{
    return pwrite64(file, bytes, count, offset);
}

__attribute__((destructor)) static void log_write(void)
{
    const char *name = getenv("SLOW_STORE_LOG");
    FILE *log = name && is_worker() && within_s > 0 ? fopen(name, "a") : NULL;
    if (!log)
        return;
    fprintf(log, "%.9f %.9f %.9f\n", within_s, worked_s, queued_s);
    fclose(log);
}
