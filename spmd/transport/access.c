#include "spmd/transport/access.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include "planner/base/own.h"
#include "spmd/transport/clock.h"

static const char head[] = "scow-access 1";

/* ---- text ---------------------------------------------------------------------------------- */

/* ZeroMQ's decoder does not check the length of its text, and accepts characters that are not of
 * Z85: both are checked here. */
static bool is_key(const char *text)
{
    static const char z85[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              ".-:+=^!/*?&<>()[]{}@%$#";
    uint8_t bytes[32];
    return strlen(text) == ACCESS_KEY_SIZE - 1 && strspn(text, z85) == ACCESS_KEY_SIZE - 1 &&
           zmq_z85_decode(bytes, text);
}

static bool keys_are(const struct access_keys *keys)
{
    return is_key(keys->public) && is_key(keys->secret);
}

static bool is_address(const char *address)
{
    const char *port = strrchr(address, ':');
    return strncmp(address, "tcp://", 6) == 0 && port > address + 6 &&
           strspn(port + 1, "0123456789") == strlen(port + 1) && port[1] != '\0' &&
           strlen(port + 1) <= 5;
}

bool access_parse(struct access *access, const char *text, const char *name,
                  struct failure *failure)
{
    struct access parsed;
    int end = 0;
    memset(&parsed, 0, sizeof parsed);
    /* Widths are one less than the sizes of the buffers. */
    const int found =
        sscanf(text, "scow-access 1\naddress %255s\nmaster %40s %40s\nworker %40s %40s %n",
               parsed.address, parsed.master.public, parsed.master.secret, parsed.worker.public,
               parsed.worker.secret, &end);
    if (found != 5 || text[end] != '\0' || !is_address(parsed.address) ||
        !keys_are(&parsed.master) || !keys_are(&parsed.worker))
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: is no access file of scow: name the one that 'scow serve' wrote",
                           name);
    *access = parsed;
    return true;
}

void access_print(const struct access *access, char text[ACCESS_TEXT_MOST])
{
    snprintf(text, ACCESS_TEXT_MOST, "%s\naddress %s\nmaster %s %s\nworker %s %s\n", head,
             access->address, access->master.public, access->master.secret, access->worker.public,
             access->worker.secret);
}

bool access_make(struct access *access, const char *address, struct failure *failure)
{
    struct access made;
    memset(&made, 0, sizeof made);
    snprintf(made.address, sizeof made.address, "%s", address);
    if (!is_address(made.address))
        return failure_set(failure, FAILURE_USAGE, "%s: is no address to listen at: give HOST:PORT",
                           address);
    if (zmq_curve_keypair(made.master.public, made.master.secret) != 0 ||
        zmq_curve_keypair(made.worker.public, made.worker.secret) != 0)
        return failure_set(failure, FAILURE_FAILED,
                           "this ZeroMQ library was built without CURVE, and without it anybody "
                           "could join: install one that has it");
    *access = made;
    return true;
}

/* ---- files --------------------------------------------------------------------------------- */

bool access_write(const struct access *access, const char *path, struct failure *failure)
{
    char text[ACCESS_TEXT_MOST];
    access_print(access, text);
    const size_t size = strlen(text);
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0 && errno == EEXIST)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: is there, as of a run that was stopped: add --resume to go on with "
                           "that, or remove it",
                           path);
    if (file < 0)
        return failure_set(failure, FAILURE_FAILED,
                           "%s: cannot be created: %s: choose another place with -o or --access",
                           path, strerror(errno));
    bool good = write(file, text, size) == (ssize_t)size;
    good = close(file) == 0 && good;
    if (good)
        return true;
    unlink(path);
    return failure_set(failure, FAILURE_FAILED,
                       "%s: cannot be written: %s: choose another place with -o or --access", path,
                       strerror(errno));
}

bool access_read(struct access *access, const char *path, struct failure *failure)
{
    char text[ACCESS_TEXT_MOST];
    struct stat status;
    const int file = own_open(path, O_RDONLY);
    if (file < 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: cannot be opened: %s: name the file that 'scow serve' wrote", path,
                           errno == EINVAL ? "it is no regular file" : strerror(errno));
    const bool known = fstat(file, &status) == 0;
    const ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    if (!known || size < 0)
        return failure_set(failure, FAILURE_FAILED, "%s: cannot be read: check the disk it is on",
                           path);
    if (status.st_uid != geteuid() || (status.st_mode & (S_IRWXG | S_IRWXO)))
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: others than you may read or change it, and who has it can join: "
                           "'chmod 600' it, or begin again with new keys",
                           path);
    text[size] = '\0';
    return access_parse(access, text, path, failure);
}

/* The file may be empty for a moment, because its writer makes it first and then fills it. */
static bool is_to_come(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_size == 0 && S_ISREG(status.st_mode)
                                    : errno == ENOENT;
}

bool access_await(struct access *access, const char *path, double patience_s,
                  const volatile sig_atomic_t *asked, struct failure *failure)
{
    static const double nap_s = 0.01;
    const double until_s = clock_now() + patience_s;
    while (is_to_come(path) && !*asked && clock_now() < until_s)
        clock_nap(nap_s);
    return !is_to_come(path) ? access_read(access, path, failure)
                             : failure_set(failure, FAILURE_MISMATCH,
                                           "%s: is not there, or empty: 'scow serve' writes it "
                                           "when it begins, and removes "
                                           "it when everything is done",
                                           path);
}
