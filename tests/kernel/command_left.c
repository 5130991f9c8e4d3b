#include "tests/kernel/command_left.h"

#include "tests/checks.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int entries_count(const char *directory)
{
    DIR *list = opendir(directory);
    assert_non_null(list);
    int count = 0;
    while (readdir(list))
        count++;
    closedir(list);
    return count;
}

bool process_read(const char *pid, char *state, int *parent, int *session)
{
    char path[300], bytes[1024] = "";
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    const int fd = open(path, O_RDONLY);
    if (fd < 0)
        return false;
    const ssize_t size = read(fd, bytes, sizeof bytes - 1);
    close(fd);
    const char *name = size > 0 ? strrchr(bytes, ')') : NULL;
    int group;
    return name && sscanf(name + 1, " %c %d %d %d", state, parent, &group, session) == 4;
}

/* Processes of a session that have not ended, or whose parent has not taken note. */
static int session_count(int wanted)
{
    DIR *list = opendir("/proc");
    assert_non_null(list);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(list));) {
        char state;
        int parent, session;
        if (strspn(entry->d_name, "0123456789") == strlen(entry->d_name) &&
            process_read(entry->d_name, &state, &parent, &session) && session == wanted &&
            !(state == 'Z' && parent == 1))
            count++;
    }
    closedir(list);
    return count;
}

void nap(void)
{
    nanosleep(&(struct timespec){0, 5000000}, NULL);
}

void assert_session(int session, int processes)
{
    for (int naps = 0; naps < 4000 && session_count(session) != processes; naps++)
        nap();
    assert_int_equal(session_count(session), processes);
}

static int spawner_session;

int left_begin(void)
{
    char state;
    int parent, session;
    DIR *list = opendir("/proc");
    for (struct dirent *entry; (entry = readdir(list));)
        if (process_read(entry->d_name, &state, &parent, &session) && parent == getpid())
            spawner_session = (int)strtol(entry->d_name, NULL, 10);
    closedir(list);
    return spawner_session;
}

static int descriptors;

int left_before(void **state)
{
    (void)state;
    descriptors = entries_count("/proc/self/fd");
    return 0;
}

int left_after(void **state)
{
    (void)state;
    assert_int_equal(entries_count("/proc/self/fd"), descriptors);
    assert_session(spawner_session, 1);
    return 0;
}
