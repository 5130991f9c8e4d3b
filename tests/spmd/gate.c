/* Preloaded into scow: a gate at which workers wait in the middle of their work, so that a test can
 * act on a run when it knows how far it is. After GATE_WRITES positioned writes a worker makes the
 * file GATE.RANK, and waits until GATE.open exists. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void gate_wait(const char *gate, const char *rank)
{
    static const struct timespec nap = {0, 10000000};
    char path[4096];
    snprintf(path, sizeof path, "%s.%s", gate, rank);
    const int file = open(path, O_CREAT | O_WRONLY, 0600);
    if (file >= 0)
        close(file);
    snprintf(path, sizeof path, "%s.open", gate);
    while (access(path, F_OK) != 0)
        nanosleep(&nap, NULL);
}

static void gate_pass(void)
{
    static atomic_long writes;
    const char *gate = getenv("GATE"), *most = getenv("GATE_WRITES"), *rank = getenv("PMI_RANK");
    if (gate && most && rank && strcmp(rank, "0") != 0 &&
        atomic_fetch_add(&writes, 1) == strtol(most, NULL, 10))
        gate_wait(gate, rank);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset)
{
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pwrite64");
    gate_pass();
    return real(file, bytes, count, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset)
{
    return pwrite64(file, bytes, count, offset);
}
