#include "spmd/node/command_answer.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The command's process, which writes to *answers (to be closed); negative: it could not start. */
static pid_t command_start(char *const words[], int *answers)
{
    posix_spawn_file_actions_t files;
    int ends[2];
    pid_t process = -1;
    if (pipe(ends) != 0)
        return -1;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addclose(&files, ends[0]);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(
        &files, ends[1]); /* a process that it leaves running would keep the pipe open */
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(&process, words[0], &files, NULL, words, environ) != 0)
        process = -1;
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    *answers = ends[0];
    if (process < 0)
        close(ends[0]);
    return process;
}

bool command_answer(char *const words[], char *answer, size_t size)
{
    int answers = -1, status = 1;
    size_t used = 0;
    const pid_t process = command_start(words, &answers);
    if (process < 0)
        return false;
    for (;;) {
        char rest[256]; /* read to the end, or the writer would fail */
        const bool room = used < size - 1;
        const ssize_t got =
            read(answers, room ? answer + used : rest, room ? size - 1 - used : sizeof rest);
        if (got <= 0)
            break;
        used += room ? (size_t)got : 0;
    }
    answer[used] = '\0';
    close(answers);
    return waitpid(process, &status, 0) == process && status == 0;
}
