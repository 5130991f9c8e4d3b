#include "spmd/transport/link_zmq.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zmq.h>

#include "spmd/transport/authentication.h"
#include "spmd/transport/clock.h"

enum { IDENTITY_MOST = 255 };
/* Bytes of a message beside its own: the frame, and what encryption adds. */
enum { AROUND_MOST = 256 };
/* A look at an empty socket costs two system calls, and a waiting process looks all the time: so
 * after an empty look the next one is made this much later. Ended connections are looked for much
 * more seldom. */
static const double look_every_s = 5e-6, connections_every_s = 0.02;

/* The frame precedes every message's bytes, in one part with them, because each part is encrypted
 * by itself. */
enum frame_kind {
    FRAME_MESSAGE, /* a message with that tag */
    FRAME_TAKEN,   /* the message with that ticket has begun to be received */
    FRAME_HELLO,   /* worker to master: asks to be let in */
    FRAME_WELCOME, /* the answer: as that rank, among so many ranks */
    FRAME_FULL     /* the other answer: there is no room */
};

struct frame {
    int32_t kind, tag, rank, size;
    uint64_t ticket; /* 0: the sender does not wait until it is received */
    uint64_t unused; /* keeps the bytes behind the frame aligned */
};

struct member {
    uint8_t identity[IDENTITY_MOST];
    size_t identity_size;
    int connection; /* its file descriptor, by which its end is recognised */
    bool left;
};

/* A message that no operation has asked for yet. */
struct arrival {
    struct arrival *next;
    int peer, tag;
    uint64_t ticket;
    zmq_msg_t message; /* the frame and the bytes */
};

/* What a request's handle points to. */
struct operation {
    struct operation *next;
    struct channel *channel;
    bool over, receives, forgotten;
    int peer, tag;
    void *to;
    size_t room, size;
    uint64_t ticket; /* of a sent message that is to be received */
};

/* What a link's handle points to. */
struct channel {
    void *context, *socket, *monitor;
    struct authentication *authentication; /* the master's; NULL at a worker */
    bool listens;                          /* it is the master's */
    int rank, size;
    struct member *members; /* owned; by rank; a worker has only [0], the master */
    int joined;             /* how many members have joined */
    struct arrival *arrivals, **last_arrival;
    struct operation *operations; /* under way, in the order in which they began */
    uint64_t tickets;
    bool full;  /* at a worker: it was refused */
    bool fresh; /* something has arrived since link_rest was last called, which the caller may not
                   have seen */
    double vain_s, connections_s; /* the last empty look, and the last look at connections */
};

static struct channel *channel_of(struct link link)
{
    struct channel *channel;
    memcpy(&channel, &link.handle, sizeof(struct channel *));
    return channel;
}

int link_rank(struct link link)
{
    return channel_of(link)->rank;
}

int link_size(struct link link)
{
    return channel_of(link)->size;
}

/* ---- sending ------------------------------------------------------------------------------- */

/* This never waits: queues have no limit, and messages to nobody are dropped. */
static void message_post(struct channel *channel, const struct frame *frame, const void *bytes,
                         size_t size)
{
    zmq_msg_t message;
    if (zmq_msg_init_size(&message, sizeof *frame + size) != 0)
        link_abort((struct link){0}, FAILURE_FAILED);
    memcpy(zmq_msg_data(&message), frame, sizeof *frame);
    if (size > 0)
        memcpy((char *)zmq_msg_data(&message) + sizeof *frame, bytes, size);
    if (zmq_msg_send(&message, channel->socket, 0) < 0)
        zmq_msg_close(&message);
}

static void frame_send(struct channel *channel, int peer, const struct frame *frame,
                       const void *bytes, size_t size)
{
    const struct member *member = &channel->members[peer];
    if (channel->listens)
        zmq_send(channel->socket, member->identity, member->identity_size, ZMQ_SNDMORE);
    message_post(channel, frame, bytes, size);
}

static bool peer_is(const struct channel *channel, int peer)
{
    return peer >= 0 && peer < channel->size && peer != channel->rank &&
           (channel->listens ? peer <= channel->joined : peer == 0);
}

/* ---- operations ---------------------------------------------------------------------------- */

static struct operation *operation_new(struct channel *channel, struct link_request *request)
{
    struct operation *operation = calloc(1, sizeof *operation), **end = &channel->operations;
    if (!operation)
        link_abort((struct link){0}, FAILURE_FAILED);
    operation->channel = channel;
    while (*end)
        end = &(*end)->next;
    *end = operation;
    *request = (struct link_request){.pending = true};
    memcpy(&request->handle, &operation, sizeof(struct operation *));
    return operation;
}

static struct operation *operation_of(const struct link_request *request)
{
    struct operation *operation;
    memcpy(&operation, &request->handle, sizeof(struct operation *));
    return operation;
}

static void operation_free(struct operation *operation)
{
    struct operation **at = &operation->channel->operations;
    while (*at != operation)
        at = &(*at)->next;
    *at = operation->next;
    free(operation);
}

static void operation_end(struct operation *operation)
{
    operation->over = true;
    if (operation->forgotten)
        operation_free(operation);
}

static void message_send(struct link link, const void *data, size_t bytes, int peer, int tag,
                         bool taken, struct link_request *request)
{
    struct channel *channel = channel_of(link);
    struct frame frame = {.kind = FRAME_MESSAGE, .tag = tag};
    if (bytes > LINK_MOST)
        abort(); /* a bug of ours */
    *request = (struct link_request){.pending = false};
    if (!peer_is(channel, peer))
        return; /* that rank has not joined */
    if (taken) {
        struct operation *operation = operation_new(channel, request);
        operation->peer = peer;
        operation->ticket = frame.ticket = ++channel->tickets;
    }
    frame_send(channel, peer, &frame, data, bytes);
}

/* The bytes are copied at once. */
void link_send(struct link link, const void *data, size_t bytes, int peer, int tag,
               struct link_request *request)
{
    message_send(link, data, bytes, peer, tag, false, request);
}

void link_send_taken(struct link link, const void *data, size_t bytes, int peer, int tag,
                     struct link_request *request)
{
    message_send(link, data, bytes, peer, tag, true, request);
}

/* ---- receiving ----------------------------------------------------------------------------- */

static bool is_for(const struct operation *operation, const struct arrival *arrival)
{
    return operation->receives && !operation->over && operation->tag == arrival->tag &&
           (operation->peer == LINK_ANYBODY || operation->peer == arrival->peer);
}

/* A message that is too long is cut: its sender is of another version, which the message says
 * itself. */
static void receive_end(struct operation *operation, struct arrival *arrival)
{
    struct channel *channel = operation->channel;
    const size_t size = zmq_msg_size(&arrival->message) - sizeof(struct frame);
    const char *bytes = (const char *)zmq_msg_data(&arrival->message) + sizeof(struct frame);
    operation->size = size < operation->room ? size : operation->room;
    operation->peer = arrival->peer;
    if (operation->size > 0)
        memcpy(operation->to, bytes, operation->size);
    if (arrival->ticket > 0)
        frame_send(channel, arrival->peer,
                   &(struct frame){.kind = FRAME_TAKEN, .ticket = arrival->ticket}, NULL, 0);
    zmq_msg_close(&arrival->message);
    free(arrival);
    operation_end(operation);
}

static void arrival_take(struct channel *channel, struct arrival *arrival)
{
    struct operation *operation = channel->operations;
    while (operation && !is_for(operation, arrival))
        operation = operation->next;
    if (operation) {
        receive_end(operation, arrival);
        return;
    }
    *channel->last_arrival = arrival;
    channel->last_arrival = &arrival->next;
}

static void message_take(struct channel *channel, int peer, const struct frame *frame,
                         zmq_msg_t *message)
{
    struct arrival *arrival = calloc(1, sizeof *arrival);
    if (!arrival)
        link_abort((struct link){0}, FAILURE_FAILED);
    arrival->peer = peer;
    arrival->tag = frame->tag;
    arrival->ticket = frame->ticket;
    zmq_msg_init(&arrival->message);
    zmq_msg_move(&arrival->message, message);
    arrival_take(channel, arrival);
}

static void taken_take(struct channel *channel, int peer, uint64_t ticket)
{
    struct operation *operation = channel->operations;
    while (operation && (operation->receives || operation->ticket != ticket))
        operation = operation->next;
    if (operation && operation->peer == peer)
        operation_end(operation);
}

/* ---- members ------------------------------------------------------------------------------- */

/* The member with the name that ZeroMQ has given to its connection; 0: it has not joined. */
static int member_find(const struct channel *channel, zmq_msg_t *identity)
{
    const size_t size = zmq_msg_size(identity);
    for (int rank = channel->joined; rank > 0; rank--)
        if (channel->members[rank].identity_size == size &&
            memcmp(channel->members[rank].identity, zmq_msg_data(identity), size) == 0)
            return rank;
    return 0;
}

static void welcome_take(struct channel *channel, const struct frame *frame)
{
    if (channel->rank > 0 || frame->rank <= 0 || frame->size <= frame->rank)
        return;
    channel->rank = frame->rank;
    channel->size = frame->size;
}

/* ---- everything that comes ----------------------------------------------------------------- */

enum { PARTS_MOST = 2 };

/* Receives a whole message, if there is one; with another number of parts than expected it is
 * dropped. */
static bool parts_receive(void *socket, zmq_msg_t parts[PARTS_MOST], int *count)
{
    bool more = true;
    for (*count = 0; more; ++*count) {
        zmq_msg_t beyond, *part = *count < PARTS_MOST ? &parts[*count] : &beyond;
        zmq_msg_init(part);
        if (zmq_msg_recv(part, socket, *count == 0 ? ZMQ_DONTWAIT : 0) < 0) {
            zmq_msg_close(part);
            return false;
        }
        more = zmq_msg_more(part);
        if (part == &beyond)
            zmq_msg_close(part);
    }
    return true;
}

/* Notes that a connection has ended. Numbers are used again: of two connections with the same
 * number it is the older one. */
static void connection_end(struct channel *channel, int connection)
{
    int rank = 1;
    while (rank <= channel->joined &&
           (channel->members[rank].left || channel->members[rank].connection != connection))
        rank++;
    if (!channel->listens)
        channel->members[0].left = true;
    else if (rank <= channel->joined)
        channel->members[rank].left = true;
}

/* Receives the ends of connections. Such an event has two parts: its kind and number, and an
 * address. */
static void monitor_receive(struct channel *channel)
{
    zmq_msg_t parts[PARTS_MOST];
    int count = 0;
    while (parts_receive(channel->monitor, parts, &count)) {
        uint16_t kind;
        uint32_t number;
        const uint8_t *bytes = zmq_msg_data(&parts[0]);
        if (zmq_msg_size(&parts[0]) == sizeof kind + sizeof number) {
            memcpy(&kind, bytes, sizeof kind);
            memcpy(&number, bytes + sizeof kind, sizeof number);
            if (kind == ZMQ_EVENT_DISCONNECTED)
                connection_end(channel, (int)number);
        }
        for (int k = 0; k < count && k < PARTS_MOST; k++)
            zmq_msg_close(&parts[k]);
    }
}

/* Ends of connections are received first, because this connection may have got the number of one
 * that ended. The number is read from the message: the identity loses it once it is looked at. */
static void hello_take(struct channel *channel, zmq_msg_t *identity, const zmq_msg_t *message)
{
    const size_t size = zmq_msg_size(identity);
    struct frame answer = {.kind = FRAME_FULL, .size = channel->size};
    if (size > IDENTITY_MOST)
        return;
    if (channel->joined + 1 < channel->size) {
        monitor_receive(channel);
        struct member *member = &channel->members[++channel->joined];
        memcpy(member->identity, zmq_msg_data(identity), size);
        member->identity_size = size;
        member->connection = zmq_msg_get(message, ZMQ_SRCFD);
        answer.kind = FRAME_WELCOME;
        answer.rank = channel->joined;
    }
    zmq_send(channel->socket, zmq_msg_data(identity), size, ZMQ_SNDMORE);
    message_post(channel, &answer, NULL, 0);
}

static void masters_take(struct channel *channel, zmq_msg_t *identity, const struct frame *frame,
                         zmq_msg_t *message)
{
    const int peer = member_find(channel, identity);
    if (peer == 0 && frame->kind == FRAME_HELLO)
        hello_take(channel, identity, message);
    else if (peer > 0 && frame->kind == FRAME_MESSAGE)
        message_take(channel, peer, frame, message);
    else if (peer > 0 && frame->kind == FRAME_TAKEN)
        taken_take(channel, peer, frame->ticket);
}

static void workers_take(struct channel *channel, const struct frame *frame, zmq_msg_t *message)
{
    if (frame->kind == FRAME_WELCOME)
        welcome_take(channel, frame);
    else if (frame->kind == FRAME_FULL)
        channel->full = true;
    else if (frame->kind == FRAME_MESSAGE)
        message_take(channel, 0, frame, message);
    else if (frame->kind == FRAME_TAKEN)
        taken_take(channel, 0, frame->ticket);
}

static bool message_receive(struct channel *channel)
{
    zmq_msg_t parts[PARTS_MOST];
    struct frame frame;
    int count = 0;
    const bool there = parts_receive(channel->socket, parts, &count);
    const int own = channel->listens; /* at the master the identity comes first */
    if (there && count == own + 1 && zmq_msg_size(&parts[own]) >= sizeof frame) {
        memcpy(&frame, zmq_msg_data(&parts[own]), sizeof frame);
        if (channel->listens)
            masters_take(channel, &parts[0], &frame, &parts[own]);
        else
            workers_take(channel, &frame, &parts[own]);
    }
    for (int k = 0; k < count && k < PARTS_MOST; k++)
        zmq_msg_close(&parts[k]);
    return there;
}

static void advance(struct channel *channel)
{
    const double now_s = clock_now();
    if (now_s - channel->vain_s < look_every_s)
        return;
    if (now_s - channel->connections_s >= connections_every_s) {
        channel->connections_s = now_s;
        monitor_receive(channel); /* noted before their last messages are received */
    }
    while (message_receive(channel))
        channel->fresh = true;
    channel->vain_s = clock_now();
}

void link_progress(struct link link)
{
    advance(channel_of(link));
}

/* Whatever ends the rest is looked at at once. A signal ends it, too, so that a request to leave is
 * not delayed. */
bool link_rest(struct link link, double most_s)
{
    struct channel *channel = channel_of(link);
    zmq_pollitem_t items[] = {{.socket = channel->socket, .events = ZMQ_POLLIN},
                              {.socket = channel->monitor, .events = ZMQ_POLLIN}};
    if (!channel->fresh)
        zmq_poll(items, sizeof items / sizeof *items, (long)(1e3 * most_s));
    channel->fresh = false;
    channel->vain_s = 0;
    if (items[1].revents)
        channel->connections_s = 0;
    return true;
}

void link_receive(struct link link, void *data, size_t bytes, int peer, int tag,
                  struct link_request *request)
{
    struct channel *channel = channel_of(link);
    struct operation *operation = operation_new(channel, request);
    operation->receives = true;
    operation->peer = peer;
    operation->tag = tag;
    operation->to = data;
    operation->room = bytes;
    for (struct arrival **at = &channel->arrivals; *at; at = &(*at)->next) {
        struct arrival *arrival = *at;
        if (!is_for(operation, arrival))
            continue;
        *at = arrival->next;
        if (channel->last_arrival == &arrival->next)
            channel->last_arrival = at;
        receive_end(operation, arrival);
        return;
    }
}

bool link_test(struct link_request *request)
{
    struct operation *operation = operation_of(request);
    if (!request->pending)
        return true;
    if (!operation->over)
        advance(operation->channel);
    if (!operation->over)
        return false;
    *request = (struct link_request){.peer = operation->peer, .size = operation->size};
    operation_free(operation);
    return true;
}

void link_cancel(struct link_request *request)
{
    if (request->pending)
        operation_free(operation_of(request));
    request->pending = false;
}

void link_forget(struct link_request *request)
{
    struct operation *operation = operation_of(request);
    if (!request->pending)
        return;
    request->pending = false;
    operation->forgotten = true;
    if (operation->over)
        operation_free(operation);
}

void link_abort(struct link link, int status)
{
    (void)link;
    _exit(status);
}

/* ---- opening and closing ------------------------------------------------------------------- */

static void option_set(void *socket, int option, int value)
{
    zmq_setsockopt(socket, option, &value, sizeof value);
}

/* Heartbeats notice a peer that is gone without a word; a stranger that does not identify itself is
 * disconnected. */
static void socket_prepare(void *socket)
{
    enum { BEAT_MS = 1000, SILENCE_MS = 10000, HANDSHAKE_MS = 5000 };
    static const int64_t bytes_most = LINK_MOST + AROUND_MOST;
    option_set(socket, ZMQ_SNDHWM, 0);
    option_set(socket, ZMQ_RCVHWM, 0);
    option_set(socket, ZMQ_HEARTBEAT_IVL, BEAT_MS);
    option_set(socket, ZMQ_HEARTBEAT_TIMEOUT, SILENCE_MS);
    option_set(socket, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS);
    zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &bytes_most, sizeof bytes_most);
}

static bool monitor_open(struct channel *channel)
{
    static const char place[] = "inproc://connections";
    channel->monitor = zmq_socket(channel->context, ZMQ_PAIR);
    if (channel->monitor)
        option_set(channel->monitor, ZMQ_RCVHWM, 0); /* the sender of events must never wait */
    return channel->monitor &&
           zmq_socket_monitor(channel->socket, place, ZMQ_EVENT_DISCONNECTED) == 0 &&
           zmq_connect(channel->monitor, place) == 0;
}

static struct channel *channel_open(bool listens, int size, struct failure *failure)
{
    struct channel *channel = calloc(1, sizeof *channel);
    if (channel) {
        channel->listens = listens;
        channel->size = size;
        channel->last_arrival = &channel->arrivals;
        channel->members = calloc((size_t)size, sizeof *channel->members);
        channel->context = zmq_ctx_new();
        channel->socket = channel->context
                              ? zmq_socket(channel->context, listens ? ZMQ_ROUTER : ZMQ_DEALER)
                              : NULL;
    }
    if (channel && channel->members && channel->socket && monitor_open(channel)) {
        socket_prepare(channel->socket);
        return channel;
    }
    failure_memory(failure, "preparing for workers that join");
    struct link link = {0};
    memcpy(&link.handle, &channel, sizeof(struct channel *));
    link_zmq_close(&link, 0);
    return NULL;
}

/* IPv6 addresses are in brackets. */
static bool is_six(const struct access *access)
{
    return strchr(access->address, '[') != NULL;
}

static bool listen_at(struct channel *channel, struct access *access)
{
    uint8_t key[32];
    size_t size = sizeof access->address;
    zmq_z85_decode(key, access->worker.public);
    channel->authentication = authentication_begin(channel->context, key);
    if (!channel->authentication)
        return false;
    option_set(channel->socket, ZMQ_IPV6, is_six(access));
    option_set(channel->socket, ZMQ_CURVE_SERVER, 1);
    zmq_setsockopt(channel->socket, ZMQ_ZAP_DOMAIN, "scow", 4);
    zmq_setsockopt(channel->socket, ZMQ_CURVE_SECRETKEY, access->master.secret, ACCESS_KEY_SIZE);
    return zmq_bind(channel->socket, access->address) == 0 &&
           zmq_getsockopt(channel->socket, ZMQ_LAST_ENDPOINT, access->address, &size) == 0;
}

/* Allows as many open files as the system permits: connections of strangers, which last until their
 * time to identify themselves is over, must not use up those that the run needs. */
static void files_allow(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

/* Is called right after the failure, for errno. */
static void listening_failed(const char *address, bool *in_use, struct failure *failure)
{
    const int reason = errno;
    const bool taken = reason == EADDRINUSE;
    failure_set(failure, FAILURE_FAILED, "%s: cannot listen there: %s%s", address,
                zmq_strerror(reason), taken ? ": end that process, or listen elsewhere" : "");
    if (in_use)
        *in_use = taken;
}

bool link_zmq_listen(struct link *link, struct access *access, int members, bool *in_use,
                     struct failure *failure)
{
    struct channel *channel = channel_open(true, members + 1, failure);
    *link = (struct link){0};
    if (in_use)
        *in_use = false;
    files_allow();
    if (!channel)
        return false;
    memcpy(&link->handle, &channel, sizeof(struct channel *));
    if (listen_at(channel, access))
        return true;
    listening_failed(access->address, in_use, failure);
    link_zmq_close(link, 0);
    return false;
}

static bool connect_to(struct channel *channel, const struct access *access)
{
    option_set(channel->socket, ZMQ_IPV6, is_six(access));
    zmq_setsockopt(channel->socket, ZMQ_CURVE_SERVERKEY, access->master.public, ACCESS_KEY_SIZE);
    zmq_setsockopt(channel->socket, ZMQ_CURVE_PUBLICKEY, access->worker.public, ACCESS_KEY_SIZE);
    zmq_setsockopt(channel->socket, ZMQ_CURVE_SECRETKEY, access->worker.secret, ACCESS_KEY_SIZE);
    return zmq_connect(channel->socket, access->address) == 0;
}

/* Waits until the master has answered. ZeroMQ makes a connection again that ended before, but a
 * message may be lost with it: so the request is repeated, and the master lets a worker join only
 * once. */
static bool welcome_await(struct channel *channel, double patience_s)
{
    static const struct frame hello = {.kind = FRAME_HELLO};
    static const double rest_s = 0.02, again_s = 1;
    struct link link;
    memcpy(&link.handle, &channel, sizeof(struct channel *));
    const double until_s = clock_now() + patience_s;
    double said_s = -HUGE_VAL;
    while (channel->rank == 0 && !channel->full && clock_now() < until_s) {
        if (clock_now() - said_s >= again_s) {
            frame_send(channel, 0, &hello, NULL, 0);
            said_s = clock_now();
        }
        advance(channel);
        link_rest(link, rest_s);
    }
    channel->members[0].left = false;
    return channel->rank > 0;
}

bool link_zmq_join(struct link *link, const struct access *access, double patience_s,
                   struct failure *failure)
{
    struct channel *channel = channel_open(false, 2, failure);
    *link = (struct link){0};
    if (!channel)
        return false;
    memcpy(&link->handle, &channel, sizeof(struct channel *));
    if (connect_to(channel, access) && welcome_await(channel, patience_s))
        return true;
    if (channel->full)
        failure_set(failure, FAILURE_STOPPED,
                    "%s: no more workers are let in there: begin it with more (--members)",
                    access->address);
    else
        failure_set(failure, FAILURE_FAILED,
                    "%s: nobody there has let this worker in for %.0f s: check that the master is "
                    "running and that the access file is of its job",
                    access->address, patience_s);
    link_zmq_close(link, 0);
    return false;
}

int link_zmq_joined(struct link link)
{
    struct channel *channel = channel_of(link);
    advance(channel);
    return channel->joined;
}

bool link_left(struct link link, int peer)
{
    struct channel *channel = channel_of(link);
    advance(channel);
    return peer <= channel->joined && channel->members[peer].left;
}

static void lists_free(struct channel *channel)
{
    while (channel->operations) {
        struct operation *operation = channel->operations;
        channel->operations = operation->next;
        free(operation);
    }
    while (channel->arrivals) {
        struct arrival *arrival = channel->arrivals;
        channel->arrivals = arrival->next;
        zmq_msg_close(&arrival->message);
        free(arrival);
    }
}

void link_zmq_close(struct link *link, double linger_s)
{
    struct channel *channel = channel_of(*link);
    *link = (struct link){0};
    if (!channel)
        return;
    /* Monitoring is ended first: it would wait forever once nobody receives its events. */
    if (channel->socket)
        zmq_socket_monitor(channel->socket, NULL, 0);
    if (channel->monitor)
        zmq_close(channel->monitor);
    if (channel->socket) {
        option_set(channel->socket, ZMQ_LINGER, (int)(1000 * linger_s));
        zmq_close(channel->socket);
    }
    authentication_end(channel->authentication);
    if (channel->context)
        zmq_ctx_term(channel->context);
    lists_free(channel);
    free(channel->members);
    free(channel);
}
