/* What starts commands, waits for them and ends them: one process for each connection, without
 * threads. Its child processes stay unreaped until their slot is used again, so that their number
 * names their process group and no other. */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernel/command/memory.h"
#include "kernel/command/spawner.h"

enum { CONTROL_SIZE = CMSG_SPACE(SPAWNER_STREAMS * sizeof(int)) };

extern char **environ;

struct child {
    pid_t pid; /* 0: none */
    bool ended;
    double start_s;
};

struct session {
    int socket;
    struct child *children; /* one per slot */
    int slots, threads;
    posix_spawnattr_t attributes;
    sigset_t waiting; /* the signals that are blocked while it waits */
    char *words;
    size_t words_size;
    char **list; /* pointers to the words */
    size_t list_size;
    char **environment; /* pointers to variables: a command's own, then all others */
    size_t environment_size;
    bool threads_given; /* OMP_NUM_THREADS is a variable that was asked for */
    int folder_error;   /* errno: the folder cannot be gone to */
};

static volatile sig_atomic_t child_ended;

static void child_note(int signal)
{
    (void)signal;
    child_ended = 1;
}

static double clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A rank that does not listen any more is seen where requests are read. */
static void report_send(const struct session *session, const struct spawner_report *report)
{
    const char *bytes = (const char *)report;
    size_t left = sizeof *report;
    while (left > 0) {
        const ssize_t sent = send(session->socket, bytes, left, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return;
        if (sent > 0) {
            bytes += sent;
            left -= (size_t)sent;
        }
    }
}

/* As waitid, which says that a process has ended without reaping it; the system call also tells
 * what the process has used, which the C library's function does not. */
static int child_wait(pid_t pid, siginfo_t *info, struct rusage *used)
{
    *used = (struct rusage){0};
#ifdef SYS_waitid
    return (int)syscall(SYS_waitid, P_PID, pid, info, WEXITED | WNOHANG | WNOWAIT, used);
#else
    return waitid(P_PID, (id_t)pid, info, WEXITED | WNOHANG | WNOWAIT);
#endif
}

static void children_look(struct session *session)
{
    child_ended = 0;
    for (int i = 0; i < session->slots; i++) {
        struct child *child = &session->children[i];
        siginfo_t info = {.si_pid = 0};
        struct rusage used;
        if (child->pid == 0 || child->ended || child_wait(child->pid, &info, &used) != 0 ||
            info.si_pid == 0)
            continue;
        child->ended = true;
        const bool exited = info.si_code == CLD_EXITED;
        report_send(session, &(struct spawner_report){.slot = i,
                                                      .exit = exited ? info.si_status & 0xff
                                                                     : -info.si_status,
                                                      .start_s = child->start_s,
                                                      .seconds = clock_now() - child->start_s,
                                                      .peak_kib = used.ru_maxrss});
    }
}

/* Everything of its process group that is left. */
static void child_end(struct child *child)
{
    if (child->pid == 0)
        return;
    kill(-child->pid, SIGKILL);
    while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    *child = (struct child){0};
}

static bool child_runs(const struct child *child)
{
    siginfo_t info = {.si_pid = 0};
    return child->pid != 0 &&
           waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0;
}

static bool any_runs(const struct session *session)
{
    for (int i = 0; i < session->slots; i++)
        if (child_runs(&session->children[i]))
            return true;
    return false;
}

/* What runs still has a second to clean up. */
static _Noreturn void session_close(const struct session *session)
{
    for (int i = 0; i < session->slots; i++)
        if (session->children[i].pid != 0)
            kill(-session->children[i].pid, SIGTERM);
    for (int looks = 0; looks < 100 && any_runs(session); looks++)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    for (int i = 0; i < session->slots; i++)
        child_end(&session->children[i]);
    _exit(0);
}

static void *grown(void *array, size_t *have, size_t want, size_t each)
{
    if (want <= *have)
        return array;
    const size_t count = want + want / 2 + 16;
    void *more = realloc(array, count * each);
    if (!more)
        _exit(1); /* the rank sees that nobody is there */
    memset((char *)more + *have * each, 0, (count - *have) * each);
    *have = count;
    return more;
}

static struct child *session_child(struct session *session, int slot)
{
    size_t slots = (size_t)session->slots;
    session->children =
        grown(session->children, &slots, (size_t)slot + 1, sizeof *session->children);
    session->slots = (int)slots;
    return &session->children[slot];
}

/* A text that names no interpreter is one for the shell, as everywhere. */
static int script_spawn(struct session *session, pid_t *pid,
                        const posix_spawn_file_actions_t *actions, char *path, char **words,
                        size_t count)
{
    char **list = calloc(count + 2, sizeof *list);
    if (!list)
        return ENOMEM;
    char shell[] = "/bin/sh";
    list[0] = shell;
    list[1] = path;
    for (size_t i = 1; i < count; i++)
        list[i + 1] = words[i];
    const int error =
        posix_spawn(pid, shell, actions, &session->attributes, list, session->environment);
    free(list);
    return error;
}

static int words_spawn(struct session *session, pid_t *pid, const int fds[], size_t count,
                       const struct spawner_request *request)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    for (size_t i = 0; error == 0 && i < count; i++)
        error = posix_spawn_file_actions_adddup2(&actions, fds[i], i < 2 ? (int)i + 1 : 0);
    char *path = session->words, **words = session->list + 1;
    if (error == 0)
        error = (strchr(path, '/') ? posix_spawn : posix_spawnp)(
            pid, path, &actions, &session->attributes, words, session->environment);
    if (error == ENOEXEC)
        error = script_spawn(session, pid, &actions, path, words, (size_t)request->words);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void threads_say(struct session *session, int threads)
{
    if (threads == session->threads || threads < 1 || session->threads_given)
        return;
    char number[16];
    snprintf(number, sizeof number, "%d", threads);
    setenv("OMP_NUM_THREADS", number, 1);
    session->threads = threads;
}

static void environment_make(struct session *session, char *at, size_t variables)
{
    size_t count = 0;
    while (environ[count])
        count++;
    session->environment = grown(session->environment, &session->environment_size,
                                 variables + count + 1, sizeof *session->environment);
    for (size_t i = 0; i < variables; i++, at += strlen(at) + 1)
        session->environment[i] = at;
    memcpy(session->environment + variables, environ, (count + 1) * sizeof *environ);
}

static void list_make(struct session *session, const struct spawner_request *request)
{
    const size_t count = (size_t)request->words + 1;
    session->list = grown(session->list, &session->list_size, count + 1, sizeof *session->list);
    char *at = session->words;
    for (size_t i = 0; i < count; i++, at += strlen(at) + 1)
        session->list[i] = at;
    session->list[count] = NULL;
    environment_make(session, at, (size_t)request->variables);
}

/* The folder and the variables of all commands. */
static void session_prepare(struct session *session, const struct spawner_request *request)
{
    char *at = session->words;
    if (*at && chdir(at) != 0)
        session->folder_error = errno;
    for (int i = 0; i < request->words; i++) {
        at += strlen(at) + 1;
        char *equals = strchr(at, '=');
        *equals = '\0';
        session->threads_given |= strcmp(at, "OMP_NUM_THREADS") == 0;
        if (setenv(at, equals + 1, 1) != 0)
            _exit(1);
        *equals = '=';
    }
}

static void command_start(struct session *session, const struct spawner_request *request,
                          const int fds[], size_t count)
{
    struct child *child = session_child(session, request->slot);
    child_end(child);
    threads_say(session, request->number);
    list_make(session, request);
    const double start_s = clock_now();
    pid_t pid = 0;
    const int error = session->folder_error ? session->folder_error
                                            : words_spawn(session, &pid, fds, count, request);
    if (error == 0)
        *child = (struct child){.pid = pid, .start_s = start_s};
    else
        report_send(session, &(struct spawner_report){
                                 .slot = request->slot, .error = error, .start_s = start_s});
}

/* False: the rank is gone. */
static bool bytes_receive(int socket, char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t received = recv(socket, bytes, size, 0);
        if (received == 0 || (received < 0 && errno != EINTR))
            return false;
        if (received > 0) {
            bytes += received;
            size -= (size_t)received;
        }
    }
    return true;
}

/* With the descriptors that came with it, of which there are *count. */
static bool request_receive(const struct session *session, struct spawner_request *request,
                            int fds[], size_t *count)
{
    union {
        struct cmsghdr align;
        char bytes[CONTROL_SIZE];
    } control;
    struct iovec iov = {request, sizeof *request};
    struct msghdr message = {.msg_iov = &iov,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t received;
    do
        received = recvmsg(session->socket, &message, MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    if (received <= 0)
        return false;
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_type == SCM_RIGHTS) {
        *count = (header->cmsg_len - CMSG_LEN(0)) / sizeof *fds;
        memcpy(fds, CMSG_DATA(header), *count * sizeof *fds);
    }
    return bytes_receive(session->socket, (char *)request + received,
                         sizeof *request - (size_t)received);
}

static int64_t child_peak(const struct child *child)
{
    return child->pid != 0 && !child->ended ? memory_peak_kib(child->pid) : 0;
}

static void request_serve(struct session *session)
{
    struct spawner_request request;
    int fds[SPAWNER_STREAMS];
    size_t count = 0;
    if (!request_receive(session, &request, fds, &count))
        session_close(session);
    if (request.verb == SPAWNER_START || request.verb == SPAWNER_PREPARE) {
        session->words = grown(session->words, &session->words_size, request.size, 1);
        if (!bytes_receive(session->socket, session->words, request.size))
            session_close(session);
    }
    if (request.verb == SPAWNER_START) {
        command_start(session, &request, fds, count);
    } else if (request.verb == SPAWNER_PREPARE) {
        session_prepare(session, &request);
    } else {
        struct child *child = session_child(session, request.slot);
        if (request.verb == SPAWNER_END)
            child_end(child);
        else if (request.verb == SPAWNER_LOOK)
            report_send(session, &(struct spawner_report){.slot = request.slot,
                                                          .look = 1,
                                                          .peak_kib = child_peak(child)});
        else if (child->pid != 0)
            kill(-child->pid, request.number);
    }
    for (size_t i = 0; i < count; i++)
        close(fds[i]);
}

static void session_init(struct session *session, int socket)
{
    *session = (struct session){.socket = socket};
    sigset_t all, none, child;
    sigfillset(&all);
    sigemptyset(&none);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    struct sigaction action = {.sa_handler = child_note};
    sigaction(SIGCHLD, &action, NULL);
    sigprocmask(SIG_BLOCK, &child, NULL);
    session->waiting = none;
    if (posix_spawnattr_init(&session->attributes) != 0)
        _exit(1);
    posix_spawnattr_setflags(&session->attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                                                       POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&session->attributes, 0);
    posix_spawnattr_setsigdefault(&session->attributes, &all);
    posix_spawnattr_setsigmask(&session->attributes, &none);
}

_Noreturn void session_serve(int socket)
{
    struct session session;
    session_init(&session, socket);
    for (;;) {
        fd_set readable;
        FD_ZERO(&readable);
        FD_SET(socket, &readable);
        const int ready = pselect(socket + 1, &readable, NULL, NULL, NULL, &session.waiting);
        if (ready < 0 && errno != EINTR)
            session_close(&session);
        if (child_ended)
            children_look(&session);
        if (ready > 0)
            request_serve(&session);
    }
}
