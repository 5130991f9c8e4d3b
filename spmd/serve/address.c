#include "spmd/serve/address.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HOST_SIZE = 200 };

static bool in_job(void)
{
    return getenv("SLURM_JOB_ID") || getenv("PBS_JOBID");
}

static void host_usual(char host[HOST_SIZE])
{
    snprintf(host, HOST_SIZE, "127.0.0.1");
    if (in_job() && gethostname(host, HOST_SIZE - 1) == 0)
        host[HOST_SIZE - 1] = '\0';
}

/* Splits the address into host, without brackets, and port ("0" where none is given). False: there
 * is no host. */
static bool parts_take(const char *listen, char host[HOST_SIZE], char port[8])
{
    const bool bracket = listen[0] == '[';
    const size_t length = strcspn(listen + bracket, bracket ? "]" : ":");
    const char *behind = listen + bracket + length;
    if (length == 0 || length >= HOST_SIZE || (bracket && *behind++ != ']'))
        return false;
    memcpy(host, listen + bracket, length);
    host[length] = '\0';
    snprintf(port, 8, "%s", *behind == ':' ? behind + 1 : "0");
    return *behind == '\0' ||
           (*behind == ':' && strlen(behind + 1) >= 1 && strlen(behind + 1) <= 5 &&
            strspn(behind + 1, "0123456789") == strlen(behind + 1) &&
            strtol(behind + 1, NULL, 10) <= 65535);
}

/* ZeroMQ listens at numeric addresses only, so a name is looked up here. */
bool address_find(const char *listen, char address[ACCESS_ADDRESS_SIZE], struct failure *failure)
{
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char host[HOST_SIZE] = "", port[8] = "0", number[HOST_SIZE];
    if (!listen)
        host_usual(host);
    else if (!parts_take(listen, host, port))
        return failure_set(failure, FAILURE_USAGE,
                           "--listen '%.60s': give HOST or HOST:PORT, as '127.0.0.1' or "
                           "'node7:5555'",
                           listen);
    const bool known = getaddrinfo(host, NULL, &wanted, &found) == 0;
    const bool good = known && getnameinfo(found->ai_addr, found->ai_addrlen, number, sizeof number,
                                           NULL, 0, NI_NUMERICHOST) == 0;
    const bool six = good && found->ai_family == AF_INET6;
    if (known)
        freeaddrinfo(found);
    if (!good)
        return failure_set(
            failure, FAILURE_USAGE,
            "--listen %.60s: no machine of that name is known: give this machine's name or address",
            host);
    snprintf(address, ACCESS_ADDRESS_SIZE, six ? "tcp://[%s]:%s" : "tcp://%s:%s", number, port);
    return true;
}

bool address_keeps_out(const char *address)
{
    return in_job() && (strncmp(address, "tcp://127.", 10) == 0 || strstr(address, "[::1]"));
}
