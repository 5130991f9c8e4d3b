/* Workers that join over ZeroMQ: messages as link.h describes them, ranks in the order of joining,
 * and no worker without the keys. */
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include "planner/base/random.h"
#include "spmd/transport/access.h"
#include "spmd/transport/clock.h"
#include "spmd/transport/link_zmq.h"
#include "tests/checks.h"

enum { TAG_A = 3, TAG_B = 4, MEMBERS = 4 };
static const double patience_s = 60;
/* How long tests wait for peers that must not be let in: they are refused at once, or never
 * answered. */
static const double refused_s = 1;

static struct access access_here(void)
{
    struct access access;
    struct failure failure = FAILURE_INIT;
    assert_true(access_make(&access, "tcp://127.0.0.1:0", &failure));
    return access;
}

static struct link listening(struct access *access, int members)
{
    struct link link;
    struct failure failure = FAILURE_INIT;
    *access = access_here();
    assert_true(link_zmq_listen(&link, access, members, NULL, &failure));
    return link;
}

/* ---- joining -------------------------------------------------------------------------------- */

struct joining {
    const struct access *access;
    double patience_s;
    struct link link;
    struct failure failure;
    bool good;
    atomic_bool over;
};

static void *join(void *self)
{
    struct joining *joining = self;
    joining->good =
        link_zmq_join(&joining->link, joining->access, joining->patience_s, &joining->failure);
    joining->over = true;
    return NULL;
}

/* The master goes on meanwhile. */
static bool joins(struct joining *joining, struct link master, const struct access *access,
                  double patience)
{
    pthread_t thread;
    *joining = (struct joining){.access = access, .patience_s = patience, .failure = FAILURE_INIT};
    assert_int_equal(pthread_create(&thread, NULL, join, joining), 0);
    while (!joining->over) {
        link_progress(master);
        link_rest(master, 1e-3); /* as a master waits: whose connection it is must not get lost */
    }
    pthread_join(thread, NULL);
    return joining->good;
}

static struct link joined(struct link master, const struct access *access)
{
    struct joining joining;
    if (!joins(&joining, master, access, patience_s))
        fail_msg("%s", joining.failure.text);
    return joining.link;
}

static void over(struct link other, struct link_request *request)
{
    while (!link_test(request)) {
        link_progress(other);
        clock_nap(1e-4);
    }
}

static void numbers_in_order(void **state)
{
    struct access access;
    struct joining refused;
    struct link master = listening(&access, 2), first, second;
    (void)state;
    assert_int_equal(link_zmq_joined(master), 0);
    first = joined(master, &access);
    assert_int_equal(link_rank(first), 1);
    assert_int_equal(link_zmq_joined(master), 1);
    second = joined(master, &access);
    assert_int_equal(link_rank(second), 2);
    assert_int_equal(link_size(second), 3);
    assert_int_equal(link_zmq_joined(master), 2);
    assert_false(joins(&refused, master, &access, patience_s));
    assert_int_equal(refused.failure.code, FAILURE_STOPPED);
    assert_false(link_left(master, 1));
    link_zmq_close(&first, 0);
    while (!link_left(master, 1))
        clock_nap(1e-3);
    assert_false(link_left(master, 2));
    link_zmq_close(&master, 0);
    while (!link_left(second, 0))
        clock_nap(1e-3);
    link_zmq_close(&second, 0);
}

/* ---- messages ------------------------------------------------------------------------------- */

static void messages_by_tag(void **state)
{
    struct access access;
    struct link master = listening(&access, MEMBERS), worker = joined(master, &access);
    struct link_request sending[3], receiving;
    int one = 1, two = 2, three = 3, got = 0;
    (void)state;
    link_send(worker, &one, sizeof one, 0, TAG_A, &sending[0]);
    link_send(worker, &two, sizeof two, 0, TAG_B, &sending[1]);
    link_send(worker, &three, sizeof three, 0, TAG_A, &sending[2]);
    for (int k = 0; k < 3; k++)
        over(master, &sending[k]);
    link_receive(master, &got, sizeof got, LINK_ANYBODY, TAG_B, &receiving);
    over(worker, &receiving);
    assert_int_equal(got, 2);
    assert_int_equal(receiving.peer, 1);
    assert_int_equal(receiving.size, sizeof got);
    link_receive(master, &got, sizeof got, 1, TAG_A, &receiving);
    over(worker, &receiving);
    assert_int_equal(got, 1);
    link_receive(master, &got, sizeof got, 1, TAG_A, &receiving);
    over(worker, &receiving);
    assert_int_equal(got, 3);
    link_zmq_close(&worker, 0);
    link_zmq_close(&master, 0);
}

/* Over only when the other one begins to take it. */
static void taken(void **state)
{
    struct access access;
    struct link master = listening(&access, MEMBERS), worker = joined(master, &access);
    struct link_request sending, receiving, unwanted;
    int sent = 7, got = 0, other = 0;
    (void)state;
    link_send_taken(master, &sent, sizeof sent, 1, TAG_A, &sending);
    for (int k = 0; k < 20; k++) {
        link_progress(worker);
        assert_false(link_test(&sending));
        clock_nap(1e-3);
    }
    link_receive(worker, &other, sizeof other, 0, TAG_B, &unwanted);
    link_receive(worker, &got, sizeof got, 0, TAG_A, &receiving);
    over(master, &receiving);
    over(worker, &sending);
    assert_int_equal(got, 7);
    link_cancel(&unwanted);
    assert_true(link_test(&unwanted));
    link_send_taken(master, &sent, sizeof sent, 1, TAG_B, &sending);
    link_forget(&sending);
    link_zmq_close(&worker, 0);
    link_zmq_close(&master, 0);
}

/* Many, of many sizes, of many workers, each in its order. */
static void many(void **state)
{
    enum { MESSAGES = 300 };
    struct access access;
    struct link master = listening(&access, MEMBERS), workers[MEMBERS];
    static unsigned char bytes[1 << 16], got[1 << 16];
    int next[MEMBERS + 1] = {0};
    (void)state;
    for (int k = 0; k < MEMBERS; k++)
        workers[k] = joined(master, &access);
    for (int at = 0; at < MESSAGES; at++)
        for (int k = 0; k < MEMBERS; k++) {
            struct link_request sending;
            const size_t size = sizeof at + (size_t)(at * 211 % 60000);
            memset(bytes, at & 255, size);
            memcpy(bytes, &at, sizeof at);
            link_send(workers[k], bytes, size, 0, TAG_A, &sending);
            assert_true(link_test(&sending));
        }
    for (int k = 0; k < MESSAGES * MEMBERS; k++) {
        struct link_request receiving;
        int at;
        link_receive(master, got, sizeof got, LINK_ANYBODY, TAG_A, &receiving);
        over(workers[0], &receiving);
        memcpy(&at, got, sizeof at);
        assert_int_equal(at, next[receiving.peer]++);
        assert_int_equal(receiving.size, sizeof at + (size_t)(at * 211 % 60000));
        if (receiving.size > sizeof at)
            assert_int_equal(got[receiving.size - 1], at & 255);
    }
    for (int k = 0; k < MEMBERS; k++)
        link_zmq_close(&workers[k], 0);
    link_zmq_close(&master, 0);
}

/* ---- strangers ------------------------------------------------------------------------------ */

static int port_of(const struct access *access)
{
    return atoi(strrchr(access->address, ':') + 1);
}

static int connection(int port)
{
    const struct sockaddr_in there = {.sin_family = AF_INET,
                                      .sin_port = htons((uint16_t)port),
                                      .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const int file = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(file >= 0);
    assert_int_equal(connect(file, (const struct sockaddr *)&there, sizeof there), 0);
    return file;
}

static void still_serves(struct link master, const struct access *access, int rank)
{
    struct link worker = joined(master, access);
    assert_int_equal(link_rank(worker), rank);
    assert_int_equal(link_zmq_joined(master), rank);
    link_zmq_close(&worker, 0);
}

/* An access file of another job: its worker's keys, its master's, or both. */
static void other_keys(void **state)
{
    struct access access, other, mixed;
    struct joining joining;
    struct link master = listening(&access, MEMBERS);
    (void)state;
    other = access_here();
    for (int which = 1; which <= 3; which++) {
        mixed = access;
        if (which & 1)
            mixed.worker = other.worker;
        if (which & 2)
            mixed.master = other.master;
        assert_false(joins(&joining, master, &mixed, refused_s));
        assert_int_equal(joining.failure.code, FAILURE_FAILED);
        assert_int_equal(link_zmq_joined(master), 0);
    }
    still_serves(master, &access, 1);
    link_zmq_close(&master, 0);
}

/* A peer that speaks ZeroMQ and no CURVE. */
static void without_keys(void **state)
{
    struct access access;
    struct link master = listening(&access, MEMBERS);
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_DEALER);
    const int none = 0;
    (void)state;
    zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none);
    assert_int_equal(zmq_connect(socket, access.address), 0);
    for (int k = 0; k < 100; k++) {
        zmq_send(socket, "00000000000000000000000", 24, ZMQ_SNDMORE | ZMQ_DONTWAIT);
        zmq_send(socket, "", 0, ZMQ_DONTWAIT);
        assert_int_equal(link_zmq_joined(master), 0);
        clock_nap(2e-3);
    }
    zmq_close(socket);
    zmq_ctx_term(context);
    still_serves(master, &access, 1);
    link_zmq_close(&master, 0);
}

/* Random bytes, and a flood of connections that say nothing. */
static void noise(void **state)
{
    enum { CONNECTIONS = 200, BYTES = 4000 };
    struct access access;
    struct link master = listening(&access, MEMBERS);
    uint64_t random = 26;
    int files[CONNECTIONS];
    (void)state;
    for (int k = 0; k < CONNECTIONS; k++) {
        unsigned char bytes[BYTES];
        files[k] = connection(port_of(&access));
        for (int at = 0; at < BYTES; at++)
            bytes[at] = (unsigned char)(256 * random_uniform(&random));
        /* Some begin as ZeroMQ's own greeting does. */
        if (k % 4 == 1)
            memcpy(bytes, "\xff\0\0\0\0\0\0\0\1\x7f\3\1CURVE", 17);
        if (k % 2 == 1)
            (void)!send(files[k], bytes, BYTES, MSG_NOSIGNAL);
        assert_int_equal(link_zmq_joined(master), 0);
    }
    still_serves(master, &access, 1);
    for (int k = 0; k < CONNECTIONS; k++)
        close(files[k]);
    link_zmq_close(&master, 0);
}

/* More of them than this process may have files: who is in goes on, and others are let in when the
 * strangers are gone. */
static void flood(void **state)
{
    enum { CONNECTIONS = 110, FILES = 60, MESSAGES = 50 };
    struct access access;
    struct link master = listening(&access, MEMBERS), worker = joined(master, &access);
    struct rlimit usual, few;
    int told[2], got = 0;
    char ready = 0;
    (void)state;
    assert_int_equal(pipe(told), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
    const pid_t strangers = fork();
    if (strangers == 0) {
        for (int k = 0; k < CONNECTIONS; k++)
            connection(port_of(&access));
        (void)!write(told[1], &ready, 1);
        pause();
        _exit(0);
    }
    few = (struct rlimit){FILES, usual.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    assert_int_equal(read(told[0], &ready, 1), 1);
    for (int k = 0; k < MESSAGES; k++) {
        struct link_request sending, receiving;
        link_send(worker, &k, sizeof k, 0, TAG_A, &sending);
        link_receive(master, &got, sizeof got, 1, TAG_A, &receiving);
        over(worker, &receiving);
        assert_int_equal(got, k);
    }
    kill(strangers, SIGKILL);
    waitpid(strangers, NULL, 0);
    setrlimit(RLIMIT_NOFILE, &usual);
    still_serves(master, &access, 2);
    close(told[0]);
    close(told[1]);
    link_zmq_close(&worker, 0);
    link_zmq_close(&master, 0);
}

/* Passes bytes on both ways, and keeps what the worker says: of its first connection the first
 * `most` bytes, and then that ends. */
struct proxy {
    int listens, port; /* the master's port */
    int connections;   /* that it serves, one after the other */
    size_t most;
    atomic_size_t size;
    char said[1 << 16];
    struct sockaddr_in here;
    pthread_t thread;
};

/* False: there is nothing more to pass on. */
static bool bytes_pass(struct proxy *proxy, const struct pollfd *ends, int from)
{
    char bytes[4096];
    ssize_t size = read(ends[from].fd, bytes, sizeof bytes);
    if (size <= 0)
        return false;
    if (from == 0 && proxy->size + (size_t)size > proxy->most)
        size = (ssize_t)(proxy->most - proxy->size);
    if (from == 0 && proxy->size + (size_t)size <= sizeof proxy->said)
        memcpy(proxy->said + proxy->size, bytes, (size_t)size);
    proxy->size += from == 0 ? (size_t)size : 0;
    (void)!send(ends[1 - from].fd, bytes, (size_t)size, MSG_NOSIGNAL);
    return proxy->size < proxy->most;
}

static void *proxy_run(void *self)
{
    struct proxy *proxy = self;
    for (int k = 0; k < proxy->connections; k++) {
        struct pollfd ends[] = {{accept(proxy->listens, NULL, NULL), POLLIN, 0},
                                {connection(proxy->port), POLLIN, 0}};
        do
            poll(ends, 2, -1);
        while (bytes_pass(proxy, ends, ends[0].revents ? 0 : 1));
        close(ends[0].fd);
        close(ends[1].fd);
        proxy->most = SIZE_MAX;
    }
    return NULL;
}

/* In front of who listens there; to be ended. */
static struct access proxy_begin(struct proxy *proxy, const struct access *access, int connections,
                                 size_t most)
{
    struct access through = *access;
    socklen_t size = sizeof proxy->here;
    *proxy = (struct proxy){.listens = socket(AF_INET, SOCK_STREAM, 0),
                            .port = port_of(access),
                            .connections = connections,
                            .most = most,
                            .here = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}}};
    assert_int_equal(bind(proxy->listens, (struct sockaddr *)&proxy->here, size), 0);
    assert_int_equal(listen(proxy->listens, 1), 0);
    assert_int_equal(getsockname(proxy->listens, (struct sockaddr *)&proxy->here, &size), 0);
    assert_int_equal(pthread_create(&proxy->thread, NULL, proxy_run, proxy), 0);
    snprintf(through.address, sizeof through.address, "tcp://127.0.0.1:%d",
             ntohs(proxy->here.sin_port));
    return through;
}

/* Its connections have ended. */
static void proxy_end(struct proxy *proxy)
{
    pthread_join(proxy->thread, NULL);
    close(proxy->listens);
}

static bool is_said(const struct proxy *proxy, const char *bytes, size_t size)
{
    for (size_t at = 0; at + size <= proxy->size; at++)
        if (memcmp(proxy->said + at, bytes, size) == 0)
            return true;
    return false;
}

/* Nobody can join by repeating what a worker said when it joined, and nobody reads what is said
 * after that. */
static void replayed(void **state)
{
    static const char secret[] = "what the core task has found";
    static struct proxy proxy;
    char got[sizeof secret] = "";
    struct access access;
    struct link_request sending, receiving;
    struct link master = listening(&access, MEMBERS);
    const struct access through = proxy_begin(&proxy, &access, 1, SIZE_MAX);
    struct link worker = joined(master, &through);
    (void)state;
    assert_int_equal(link_zmq_joined(master), 1);
    link_send(worker, secret, sizeof secret, 0, TAG_A, &sending);
    link_receive(master, got, sizeof got, 1, TAG_A, &receiving);
    over(worker, &receiving);
    assert_string_equal(got, secret);
    link_zmq_close(&worker, 0);
    proxy_end(&proxy);
    assert_true(proxy.size > 200);
    assert_false(is_said(&proxy, secret, sizeof secret - 1));
    const int again = connection(port_of(&access));
    assert_int_equal(send(again, proxy.said, proxy.size, MSG_NOSIGNAL), proxy.size);
    for (int k = 0; k < 100; k++) {
        assert_int_equal(link_zmq_joined(master), 1);
        clock_nap(2e-3);
    }
    close(again);
    still_serves(master, &access, 2);
    link_zmq_close(&master, 0);
}

/* A worker joins although its connection breaks as it says so. */
static void broken(void **state)
{
    static struct proxy proxy;
    struct access access;
    struct link master = listening(&access, MEMBERS);
    struct access through = proxy_begin(&proxy, &access, 1, SIZE_MAX);
    struct link worker = joined(master, &through);
    const size_t whole = proxy.size;
    (void)state;
    link_zmq_close(&worker, 0);
    proxy_end(&proxy);
    through = proxy_begin(&proxy, &access, 2, whole - 1);
    worker = joined(master, &through);
    assert_int_equal(link_rank(worker), 2);
    assert_int_equal(link_zmq_joined(master), 2);
    link_zmq_close(&worker, 0);
    proxy_end(&proxy);
    link_zmq_close(&master, 0);
}

/* ---- the access file ------------------------------------------------------------------------ */

static void access_files(void **state)
{
    char folder[] = "/tmp/scow-access-XXXXXX", path[64], link_path[64], said[256];
    struct access access = access_here(), again;
    struct failure failure = FAILURE_INIT;
    struct stat status;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/access", folder);
    snprintf(link_path, sizeof link_path, "%s/link", folder);
    umask(0);
    assert_true(access_write(&access, path, &failure));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_true(access_read(&again, path, &failure));
    assert_memory_equal(&again, &access, sizeof access);
    assert_false(access_write(&access, path, &failure));
    snprintf(said, sizeof said,
             "%s: is there, as of a run that was stopped: add --resume to go on with that, or "
             "remove it",
             path);
    assert_failure(failure, FAILURE_MISMATCH, said);
    assert_int_equal(symlink("access", link_path), 0);
    failure = (struct failure)FAILURE_INIT;
    assert_false(access_read(&again, link_path, &failure));
    assert_int_equal(chmod(path, 0640), 0);
    failure = (struct failure)FAILURE_INIT;
    assert_false(access_read(&again, path, &failure));
    assert_non_null(strstr(failure.text, "chmod 600"));
    unlink(link_path);
    unlink(path);
    rmdir(folder);
}

struct writing {
    const struct access *access;
    const char *path;
};

/* The file is there before it says something. */
static void *write_late(void *self)
{
    const struct writing *writing = self;
    struct failure failure = FAILURE_INIT;
    char empty[64];
    snprintf(empty, sizeof empty, "%s", writing->path);
    clock_nap(0.02);
    fclose(fopen(empty, "w"));
    clock_nap(0.02);
    unlink(empty);
    return access_write(writing->access, writing->path, &failure) ? self : NULL;
}

/* Workers that come before the master wait for its access file. */
static void access_to_come(void **state)
{
    char folder[] = "/tmp/scow-access-XXXXXX", path[64];
    static volatile sig_atomic_t asked;
    struct access access = access_here(), read;
    struct writing writing = {&access, path};
    struct failure failure = FAILURE_INIT;
    pthread_t thread;
    void *written = NULL;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/access", folder);
    assert_false(access_await(&read, path, 0.01, &asked, &failure));
    assert_int_equal(failure.code, FAILURE_MISMATCH);
    assert_non_null(strstr(failure.text, "scow serve"));
    failure = (struct failure)FAILURE_INIT;
    assert_int_equal(pthread_create(&thread, NULL, write_late, &writing), 0);
    assert_true(access_await(&read, path, patience_s, &asked, &failure));
    pthread_join(thread, &written);
    assert_non_null(written);
    assert_memory_equal(&read, &access, sizeof access);
    unlink(path);
    asked = 1; /* to leave */
    assert_false(access_await(&read, path, patience_s, &asked, &failure));
    rmdir(folder);
}

/* The second that listens at an address is told why it cannot; when the first is gone, it can. */
static void address_in_use(void **state)
{
    struct access access;
    struct failure failure = FAILURE_INIT;
    struct link first = listening(&access, 1), second;
    bool in_use = false;
    (void)state;
    assert_false(link_zmq_listen(&second, &access, 1, &in_use, &failure));
    assert_true(in_use);
    assert_int_equal(failure.code, FAILURE_FAILED);
    assert_non_null(strstr(failure.text, access.address));
    link_zmq_close(&first, 0);
    failure = (struct failure)FAILURE_INIT;
    assert_true(link_zmq_listen(&second, &access, 1, &in_use, &failure));
    assert_false(in_use);
    link_zmq_close(&second, 0);
}

static void bad_access(void **state)
{
    struct access access = access_here(), other;
    char text[ACCESS_TEXT_MOST], wrong[ACCESS_TEXT_MOST];
    (void)state;
    access_print(&access, text);
    for (size_t cut = 0; cut + 1 < strlen(text); cut++) {
        struct failure failure = FAILURE_INIT;
        snprintf(wrong, sizeof wrong, "%.*s", (int)cut, text);
        assert_false(access_parse(&other, wrong, "access", &failure));
        assert_int_equal(failure.code, FAILURE_MISMATCH);
    }
    static const char *const addresses[] = {"tcp://:1",       "tcp://a:",  "tcp://a:1x",
                                            "tcp://a:999999", "udp://a:1", "a:1"};
    for (size_t k = 0; k < sizeof addresses / sizeof *addresses; k++) {
        struct failure failure = FAILURE_INIT;
        assert_false(access_make(&other, addresses[k], &failure));
        assert_int_equal(failure.code, FAILURE_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_in_order),
        cmocka_unit_test(messages_by_tag),
        cmocka_unit_test(taken),
        cmocka_unit_test(many),
        cmocka_unit_test(other_keys),
        cmocka_unit_test(without_keys),
        cmocka_unit_test(noise),
        cmocka_unit_test(flood),
        cmocka_unit_test(replayed),
        cmocka_unit_test(broken),
        cmocka_unit_test(access_files),
        cmocka_unit_test(access_to_come),
        cmocka_unit_test(address_in_use),
        cmocka_unit_test(bad_access),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
