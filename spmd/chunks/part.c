#include "spmd/chunks/part.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "planner/files/replace.h"
#include "spmd/protocol/letter.h"
#include "spmd/run/until.h"
#include "spmd/transport/clock.h"

enum { ALIGNMENT = 64 };
static const char kind[] = "scow-part-1";

/* Head and report are padded to such multiples. */
static uint64_t aligned(uint64_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void part_head_init(struct part_head *head)
{
    memset(head, 0, sizeof *head);
    gethostname(head->host, sizeof head->host - 1);
    snprintf(head->kind, sizeof head->kind, "%s", kind);
    snprintf(head->version, sizeof head->version, "%.*s", (int)sizeof head->version - 1,
             letter_version());
}

static bool head_is_ours(struct part_head *head)
{
    struct part_head ours;
    part_head_init(&ours);
    head->host[sizeof head->host - 1] = '\0';
    head->method[sizeof head->method - 1] = '\0';
    return memcmp(head->kind, ours.kind, sizeof ours.kind) == 0 &&
           memcmp(head->version, ours.version, sizeof ours.version) == 0;
}

bool part_open(struct part *part, void *bytes, size_t size, size_t state_size)
{
    struct part_head *head = &part->head;
    *part = (struct part){.bytes = bytes};
    const uint64_t at = aligned(sizeof *head);
    if (size < at)
        return false;
    memcpy(head, bytes, sizeof *head);
    if (!head_is_ours(head) || head->report_size > size - at ||
        aligned(head->report_size) > size - at ||
        head->packed_size != size - at - aligned(head->report_size))
        return false;
    part->report = (const struct wire_result *)(const void *)((char *)bytes + at);
    part->packed = (char *)bytes + at + aligned(head->report_size);
    return wire_result_check(part->report, state_size, head->report_size, &head->package) &&
           !part->report->interim &&
           wire_return_check(part->report, part->packed, head->packed_size);
}

/* ---- files ---------------------------------------------------------------------------------- */

struct writing {
    struct part_head *head;
    const struct wire_result *report;
    const void *packed;
};

static bool bytes_write(FILE *file, const void *bytes, size_t size, size_t room)
{
    static const char zeros[ALIGNMENT];
    return fwrite(bytes, 1, size, file) == size &&
           fwrite(zeros, 1, room - size, file) == room - size;
}

static bool part_stream(void *self, FILE *file)
{
    const struct writing *writing = self;
    struct part_head *head = writing->head;
    const double start_s = clock_now();
    if (!bytes_write(file, head, sizeof *head, aligned(sizeof *head)) ||
        !bytes_write(file, writing->report, head->report_size, aligned(head->report_size)) ||
        !bytes_write(file, writing->packed, head->packed_size, head->packed_size) ||
        fflush(file) != 0 || fsync(fileno(file)) != 0 || fseek(file, 0, SEEK_SET) != 0)
        return false;
    head->times.transfer_s += clock_now() - start_s;
    head->times.ended_s = until_now();
    return fwrite(head, sizeof *head, 1, file) == 1;
}

bool part_write(const char *path, struct part_head *head, const struct wire_result *report,
                const void *packed, struct failure *failure)
{
    struct writing writing = {head, report, packed};
    const struct replace_writer writer = {part_stream, &writing};
    return replace_stream(path, &writer, failure);
}

/* Reads the whole file, or returns NULL. */
static void *file_read(const char *path, size_t *size)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    void *bytes = NULL;
    if (file && fstat(fileno(file), &status) == 0 && status.st_size > 0) {
        *size = (size_t)status.st_size;
        bytes = aligned_alloc(ALIGNMENT, aligned(*size));
    }
    if (bytes && fread(bytes, 1, *size, file) != *size) {
        free(bytes);
        bytes = NULL;
    }
    if (file)
        fclose(file);
    return bytes;
}

bool part_read(struct part *part, const char *path, size_t state_size, bool *there,
               struct failure *failure)
{
    size_t size = 0;
    *part = (struct part){.bytes = NULL};
    void *bytes = file_read(path, &size);
    *there = bytes || errno != ENOENT;
    if (bytes && part_open(part, bytes, size, state_size))
        return true;
    free(bytes);
    *part = (struct part){.bytes = NULL};
    return failure_set(failure, FAILURE_MISMATCH,
                       "%s: is damaged, or of another build of scow: remove it, and have its chunk "
                       "done again",
                       path);
}

bool part_head_read(struct part_head *head, const char *path)
{
    FILE *file = fopen(path, "rb");
    const bool good = file && fread(head, sizeof *head, 1, file) == 1 && head_is_ours(head);
    if (file)
        fclose(file);
    return good;
}

void part_release(struct part *part)
{
    free(part->bytes);
    *part = (struct part){.bytes = NULL};
}
