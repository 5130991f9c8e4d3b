#include "kernel/command/spawner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "kernel/command/command.h"

enum {
    SHUT_DOWN_S = 10,
    CLEARINGS_MOST = 20,
    CONTROL_SIZE = CMSG_SPACE(SPAWNER_STREAMS * sizeof(int))
};

/* What outlives a call here: fork must come before MPI, long before a worker exists. */
static int spawner_socket = -1;
static pid_t spawner_session; /* of all that it forks, and of commands */

extern char **environ;

static bool is_number(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == '\0';
}

/* All but `keep`: what a process that outlives others must not hold open. */
static void descriptors_close(int keep)
{
    DIR *list = opendir("/proc/self/fd");
    if (!list) {
        const long most = sysconf(_SC_OPEN_MAX);
        for (int fd = 0; fd < (most > 0 && most < 65536 ? (int)most : 65536); fd++)
            if (fd != keep)
                close(fd);
        return;
    }
    for (struct dirent *entry; (entry = readdir(list));) {
        const int fd = is_number(entry->d_name) ? (int)strtol(entry->d_name, NULL, 10) : keep;
        if (fd != keep && fd != dirfd(list))
            close(fd);
    }
    closedir(list);
}

/* Descriptors 0 to 2 are /dev/null, so that no pipe of a command's ever is one of them. */
static int streams_settle(int socket)
{
    const int moved = fcntl(socket, F_DUPFD_CLOEXEC, 3);
    if (moved < 0)
        _exit(1);
    descriptors_close(moved);
    for (int fd = 0; fd < 3; fd++)
        if (open("/dev/null", O_RDWR) != fd)
            _exit(1);
    return moved;
}

/* A command that uses MPI by itself must not take itself for a rank of this run, nor a command of
 * this run for one of another that runs it. */
static void environment_clean(void)
{
    static const char *const prefixes[] = {
        "PMI_",         "PMIX_",       "HYDI_",     "MPI_LOCAL", "SCOW_TASK",
        "SCOW_ATTEMPT", "SCOW_WORKER", "SCOW_SLOT", "SCOW_OUT",  "OMPI_COMM_WORLD_"};
    for (size_t i = 0; environ[i];) {
        char name[64];
        const size_t size = strcspn(environ[i], "=");
        bool ours = false;
        for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
            ours |= strncmp(environ[i], prefixes[k], strlen(prefixes[k])) == 0;
        if (!ours || size >= sizeof name) {
            i++;
            continue;
        }
        memcpy(name, environ[i], size);
        name[size] = '\0';
        if (unsetenv(name) != 0)
            i++;
    }
}

/* The end of a connection that comes over the socket; -1: the rank is gone. */
static int connection_receive(int socket)
{
    char byte;
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec iov = {&byte, 1};
    struct msghdr message = {.msg_iov = &iov,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t received;
    do
        received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (received != 1 || !header || header->cmsg_type != SCM_RIGHTS)
        return -1;
    int fd;
    memcpy(&fd, CMSG_DATA(header), sizeof fd);
    return fd;
}

/* Signals of the terminal or of a launcher are for the rank, whose end is seen on the socket. */
static _Noreturn void spawner_serve(int socket)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2};
    setsid();
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    signal(SIGCHLD, SIG_IGN); /* connections' processes leave nothing behind */
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    environment_clean();
    socket = streams_settle(socket);
    for (int fd; (fd = connection_receive(socket)) >= 0; close(fd))
        if (fork() == 0) {
            close(socket);
            session_serve(fd);
        }
    _exit(0);
}

void command_spawner_begin(void)
{
    int ends[2];
    if (spawner_socket >= 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return;
    const pid_t child = fork();
    if (child == 0)
        spawner_serve(ends[1]);
    close(ends[1]);
    if (child < 0)
        close(ends[0]);
    else
        spawner_socket = ends[0];
    spawner_session = child;
}

/* Kills all other processes of this session; returns how many there were, zombies included. */
static int session_kill(void)
{
    int count = 0;
    DIR *list = opendir("/proc");
    for (struct dirent *entry; list && (entry = readdir(list));) {
        const pid_t pid = is_number(entry->d_name) ? (pid_t)strtol(entry->d_name, NULL, 10) : 0;
        if (pid > 0 && pid != spawner_session && getsid(pid) == spawner_session)
            count += kill(pid, SIGKILL) == 0;
    }
    if (list)
        closedir(list);
    return count;
}

/* One of them may have begun another while they were looked for. */
void spawner_clear(void)
{
    int before = 0, count = session_kill();
    for (int more = 0; more < CLEARINGS_MOST && count > before; more++) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        before = count;
        count = session_kill();
    }
}

bool spawner_ended(int error)
{
    return error == EPIPE || error == ECONNRESET;
}

/* With `fds`, unless count is 0. All of it, whatever interrupts. */
static bool bytes_send(int socket, struct iovec iov[2], const int *fds, size_t count)
{
    union {
        struct cmsghdr align;
        char bytes[CONTROL_SIZE];
    } control = {.bytes = {0}};
    struct msghdr message = {.msg_iov = iov, .msg_iovlen = 2};
    if (count > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(count * sizeof *fds);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(count * sizeof *fds);
        memcpy(CMSG_DATA(header), fds, count * sizeof *fds);
    }
    while (iov[0].iov_len + iov[1].iov_len > 0) {
        const ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == ETOOMANYREFS) /* pipes under way, which the other end takes soon */
            nanosleep(&(struct timespec){0, 100000}, NULL);
        else if (sent < 0 && errno != EINTR)
            return false;
        if (sent <= 0)
            continue;
        message.msg_control = NULL;
        message.msg_controllen = 0;
        size_t left = (size_t)sent;
        for (int i = 0; i < 2; i++) {
            const size_t part = left < iov[i].iov_len ? left : iov[i].iov_len;
            iov[i].iov_base = (char *)iov[i].iov_base + part;
            iov[i].iov_len -= part;
            left -= part;
        }
    }
    return true;
}

static bool connection_make(struct spawner *spawner)
{
    *spawner = (struct spawner){.socket = -1};
    int ends[2];
    if (spawner_socket < 0) {
        errno = ENOTCONN;
        return false;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    struct iovec iov[2] = {{(char[]){0}, 1}, {NULL, 0}};
    const bool good = bytes_send(spawner_socket, iov, &ends[1], 1);
    const int error = errno;
    close(ends[1]);
    if (good)
        spawner->socket = ends[0];
    else
        close(ends[0]);
    errno = error;
    return good;
}

bool spawner_connect(struct spawner *spawner)
{
    if (connection_make(spawner))
        return true;
    if (!spawner_ended(errno))
        return false;
    close(spawner_socket);
    spawner_socket = -1;
    command_spawner_begin();
    return connection_make(spawner);
}

void spawner_disconnect(struct spawner *spawner)
{
    if (spawner->socket < 0)
        return;
    const struct timeval most = {.tv_sec = SHUT_DOWN_S};
    setsockopt(spawner->socket, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    shutdown(spawner->socket, SHUT_WR);
    ssize_t received;
    do
        received = recv(spawner->socket, spawner->reports, sizeof spawner->reports, 0);
    while (received > 0 || (received < 0 && errno == EINTR));
    close(spawner->socket);
    spawner->socket = -1;
}

bool spawner_ask(const struct spawner *spawner, const struct spawner_request *request, char *words)
{
    const bool start = request->verb == SPAWNER_START;
    struct spawner_request sent = *request;
    struct iovec iov[2] = {{&sent, sizeof sent}, {words, words ? request->size : 0}};
    const size_t count = !start ? 0 : request->fds[2] < 0 ? 2 : 3;
    return bytes_send(spawner->socket, iov, request->fds, count);
}

int spawner_receive(struct spawner *spawner, struct spawner_report *report)
{
    const size_t size = sizeof *report;
    char *const bytes = (char *)spawner->reports;
    if (spawner->held - spawner->taken < size) {
        memmove(bytes, bytes + spawner->taken, spawner->held - spawner->taken);
        spawner->held -= spawner->taken;
        spawner->taken = 0;
        const ssize_t received = recv(spawner->socket, bytes + spawner->held,
                                      sizeof spawner->reports - spawner->held, MSG_DONTWAIT);
        if (received == 0 ||
            (received < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
            return -1;
        spawner->held += received > 0 ? (size_t)received : 0;
        if (spawner->held < size)
            return 0;
    }
    memcpy(report, bytes + spawner->taken, size);
    spawner->taken += size;
    return 1;
}
