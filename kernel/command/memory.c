#include "kernel/command/memory.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_SIZE = 1 << 14, NAME_SIZE = 1024, KIB = 1024 };

static const int64_t boundless = (int64_t)1 << 60;

/* As much of a small file as fits. False: it cannot be read. */
static bool text_read(const char *name, char text[TEXT_SIZE])
{
    const int file = open(name, O_RDONLY | O_CLOEXEC);
    size_t used = 0;
    ssize_t got = file >= 0 ? 1 : -1;
    while (got > 0 && used < TEXT_SIZE - 1) {
        got = read(file, text + used, TEXT_SIZE - 1 - used);
        used += got > 0 ? (size_t)got : 0;
    }
    if (file >= 0)
        close(file);
    text[used] = '\0';
    return got >= 0;
}

/* The number behind `key`, which begins a line; -1: there is none. */
static int64_t number_find(const char *text, const char *key)
{
    const size_t size = strlen(key);
    for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        if (strncmp(at, key, size) == 0)
            return strtoll(at + size, NULL, 10);
    return -1;
}

static int64_t number_read(const char *name, const char *key)
{
    char text[TEXT_SIZE];
    return text_read(name, text) ? number_find(text, key) : -1;
}

int64_t memory_peak_kib(pid_t pid)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/%" PRIdMAX "/status", (intmax_t)pid);
    const int64_t kib = number_read(name, "VmHWM:");
    return kib > 0 ? kib : 0;
}

int64_t memory_kills(void)
{
    return number_read("/proc/vmstat", "oom_kill ");
}

/* ---- control groups ---- */

/* The names of what is asked, in the two versions of Linux's control groups. */
struct hierarchy {
    const char *controller; /* as /proc/self/cgroup has it, between colons */
    const char *folder, *limit, *usage, *reclaimable;
};

static const struct hierarchy hierarchies[] = {
    {"::", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "},
    {":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "total_inactive_file "}};

static int64_t group_number(const struct hierarchy *hierarchy, const char *group, const char *file,
                            const char *key)
{
    char name[NAME_SIZE];
    const int size = snprintf(name, sizeof name, "%s%s/%s", hierarchy->folder, group, file);
    return size < (int)sizeof name ? number_read(name, key) : -1;
}

/* Bytes that a group has left; "max" reads as 0. */
static int64_t group_left(const struct hierarchy *hierarchy, const char *group)
{
    const int64_t limit = group_number(hierarchy, group, hierarchy->limit, "");
    if (limit <= 0 || limit >= boundless)
        return boundless;
    const int64_t usage = group_number(hierarchy, group, hierarchy->usage, "");
    const int64_t files = group_number(hierarchy, group, "memory.stat", hierarchy->reclaimable);
    const int64_t left = limit - usage + (files > 0 ? files : 0);
    return usage < 0 ? boundless : left > 0 ? left : 0;
}

/* Of the group and all that it is in. */
static int64_t hierarchy_left(const struct hierarchy *hierarchy, const char *groups)
{
    char group[NAME_SIZE];
    const char *at = strstr(groups, hierarchy->controller);
    if (!at)
        return boundless;
    at += strlen(hierarchy->controller);
    snprintf(group, sizeof group, "%.*s", (int)strcspn(at, "\n"), at);
    int64_t least = boundless;
    for (char *slash = group + strlen(group); slash; slash = strrchr(group, '/')) {
        *slash = '\0';
        const int64_t left = group_left(hierarchy, group);
        least = left < least ? left : least;
    }
    return least;
}

int64_t memory_left_kib(void)
{
    char groups[TEXT_SIZE];
    int64_t least = number_read("/proc/meminfo", "MemAvailable:");
    if (least < 0 || !text_read("/proc/self/cgroup", groups))
        return least;
    for (size_t i = 0; i < sizeof hierarchies / sizeof *hierarchies; i++) {
        const int64_t left = hierarchy_left(&hierarchies[i], groups) / KIB;
        least = left < least ? left : least;
    }
    return least;
}
