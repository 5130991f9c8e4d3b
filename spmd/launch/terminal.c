#include "spmd/launch/terminal.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_SIZE = 64, ANCESTORS_MOST = 8 };

/* The parent of a process with any name; 0: not known. */
static long parent_of(long process)
{
    char name[NAME_SIZE], line[512] = "";
    snprintf(name, sizeof name, "/proc/%ld/stat", process);
    FILE *file = fopen(name, "r");
    if (!file)
        return 0;
    const bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    /* After the name, which is in parentheses and may contain some: its state and its parent. */
    const char *behind = read ? strrchr(line, ')') : NULL;
    return behind && strlen(behind) > 4 ? strtol(behind + 4, NULL, 10) : 0;
}

/* Is it mpiexec, or the program by which that starts ranks on each machine? */
static bool launches(long process)
{
    static const char *const names[] = {"mpiexec", "mpirun", "hydra_", "orterun", "prterun"};
    char link[NAME_SIZE], program[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%ld/exe", process);
    const ssize_t length = readlink(link, program, sizeof program - 1);
    if (length <= 0)
        return false;
    program[length] = '\0';
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strncmp(name, names[k], strlen(names[k])) == 0)
            return true;
    return false;
}

/* The outermost launcher above this process; 0: there is none. */
static long launcher_find(void)
{
    long launcher = 0, process = getppid();
    for (int k = 0; k < ANCESTORS_MOST && process > 1 && launches(process); k++) {
        launcher = process;
        process = parent_of(process);
    }
    return launcher;
}

/* The launcher's standard error, if that is a terminal. */
static int launcher_terminal(void)
{
    char name[NAME_SIZE];
    const long launcher = launcher_find();
    if (launcher == 0)
        return -1;
    snprintf(name, sizeof name, "/proc/%ld/fd/2", launcher);
    struct stat about;
    if (stat(name, &about) != 0 || !S_ISCHR(about.st_mode))
        return -1;
    const int terminal = open(name, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0 || isatty(terminal))
        return terminal;
    close(terminal);
    return -1;
}

int terminal_open(FILE *out)
{
    const char *kind = getenv("TERM");
    struct stat about;
    if (!out || !kind || strcmp(kind, "dumb") == 0 || fileno(out) < 0)
        return -1;
    if (isatty(fileno(out)))
        return fcntl(fileno(out), F_DUPFD_CLOEXEC, 0);
    if (fstat(fileno(out), &about) != 0 || !(S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode)))
        return -1;
    return launcher_terminal();
}

int terminal_columns(int terminal)
{
    struct winsize size = {.ws_col = 0};
    return ioctl(terminal, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
