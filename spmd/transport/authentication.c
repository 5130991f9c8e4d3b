#include "spmd/transport/authentication.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

/* The parts of a request (ZeroMQ's RFC 27, ZAP): version, number, domain, address, identity,
 * mechanism, then credentials. */
enum { PART_VERSION, PART_NUMBER, PART_MECHANISM = 5, PART_KEY, PARTS };
enum { PART_SIZE = 256, KEY_BYTES = 32 };

struct authentication {
    void *questions, *stop, *stopped; /* sockets; the thread uses the first and the last */
    uint8_t key[KEY_BYTES];
    pthread_t thread;
};

struct question {
    char parts[PARTS][PART_SIZE];
    int sizes[PARTS];
    int count;
};

/* Receives a whole request; parts that are too long are cut, which makes them wrong. */
static bool question_take(void *socket, struct question *question)
{
    int more = 1;
    size_t more_size = sizeof more;
    memset(question, 0, sizeof *question);
    for (; more; question->count++) {
        char beyond[PART_SIZE];
        const bool fits = question->count < PARTS;
        char *to = fits ? question->parts[question->count] : beyond;
        const int size = zmq_recv(socket, to, PART_SIZE, 0);
        if (size < 0 || zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &more_size) != 0)
            return false;
        if (fits)
            question->sizes[question->count] = size;
    }
    return true;
}

static bool part_is(const struct question *question, int part, const void *bytes, int size)
{
    return question->sizes[part] == size && memcmp(question->parts[part], bytes, (size_t)size) == 0;
}

/* Takes equally long for any keys, so that the time tells nothing about the key. */
static bool keys_equal(const char *one, const uint8_t *other)
{
    unsigned differs = 0;
    for (int k = 0; k < KEY_BYTES; k++)
        differs |= (unsigned)((uint8_t)one[k] ^ other[k]);
    return differs == 0;
}

static bool is_welcome(const struct authentication *authentication, const struct question *question)
{
    return question->count == PARTS && part_is(question, PART_VERSION, "1.0", 3) &&
           part_is(question, PART_MECHANISM, "CURVE", 5) &&
           question->sizes[PART_KEY] == KEY_BYTES &&
           keys_equal(question->parts[PART_KEY], authentication->key);
}

static void answer(void *socket, const struct question *question, bool welcome)
{
    const char *code = welcome ? "200" : "400", *text = welcome ? "OK" : "not of this job";
    const int number_size =
        question->sizes[PART_NUMBER] < PART_SIZE ? question->sizes[PART_NUMBER] : 0;
    zmq_send(socket, "1.0", 3, ZMQ_SNDMORE);
    zmq_send(socket, question->parts[PART_NUMBER], (size_t)number_size, ZMQ_SNDMORE);
    zmq_send(socket, code, 3, ZMQ_SNDMORE);
    zmq_send(socket, text, strlen(text), ZMQ_SNDMORE);
    zmq_send(socket, "worker", 6, ZMQ_SNDMORE);
    zmq_send(socket, "", 0, 0);
}

static void *answers(void *self)
{
    struct authentication *authentication = self;
    zmq_pollitem_t items[] = {{authentication->questions, 0, ZMQ_POLLIN, 0},
                              {authentication->stopped, 0, ZMQ_POLLIN, 0}};
    for (;;) {
        struct question question;
        if (zmq_poll(items, 2, -1) < 0 && errno == EINTR)
            continue; /* interrupted by a signal, which other threads handle */
        if (items[1].revents & ZMQ_POLLIN)
            break;
        if ((items[0].revents & ZMQ_POLLIN) && question_take(authentication->questions, &question))
            answer(authentication->questions, &question, is_welcome(authentication, &question));
    }
    return NULL;
}

static void sockets_close(struct authentication *authentication)
{
    void *sockets[] = {authentication->questions, authentication->stop, authentication->stopped};
    for (size_t k = 0; k < sizeof sockets / sizeof *sockets; k++)
        if (sockets[k])
            zmq_close(sockets[k]);
    free(authentication);
}

struct authentication *authentication_begin(void *context, const uint8_t key[32])
{
    static const char stopping[] = "inproc://authentication-stop";
    struct authentication *authentication = calloc(1, sizeof *authentication);
    if (!authentication)
        return NULL;
    memcpy(authentication->key, key, KEY_BYTES);
    authentication->questions = zmq_socket(context, ZMQ_REP);
    authentication->stop = zmq_socket(context, ZMQ_PAIR);
    authentication->stopped = zmq_socket(context, ZMQ_PAIR);
    if (authentication->questions && authentication->stop && authentication->stopped &&
        zmq_bind(authentication->questions, "inproc://zeromq.zap.01") == 0 &&
        zmq_bind(authentication->stopped, stopping) == 0 &&
        zmq_connect(authentication->stop, stopping) == 0 &&
        pthread_create(&authentication->thread, NULL, answers, authentication) == 0)
        return authentication;
    sockets_close(authentication);
    return NULL;
}

void authentication_end(struct authentication *authentication)
{
    if (!authentication)
        return;
    zmq_send(authentication->stop, "", 0, 0);
    pthread_join(authentication->thread, NULL);
    sockets_close(authentication);
}
