/* Fuzz target: any text is a job in chunks that prints as itself, or is refused; any bytes are a
 * chunk's results, all of which lie within them, or are refused. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/chunks/chunks.h"
#include "spmd/chunks/part.h"
#include "tests/fuzz/target.h"

enum { ALIGNMENT = 64, STATE = 8 };

static void job_check(const uint8_t *data, size_t size)
{
    struct chunks_job job;
    struct failure failure = FAILURE_INIT;
    char *text = malloc(size + 1), again[2 * sizeof job];
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    if (chunks_job_parse(&job, text, "job", &failure)) {
        chunks_job_print(&job, again, sizeof again);
        if (strcmp(again, text) != 0 || job.workers < 1)
            abort();
    } else if (failure.code != FAILURE_MISMATCH) {
        abort();
    }
    free(text);
}

static void part_check(void *bytes, size_t size)
{
    struct part part;
    if (!part_open(&part, bytes, size, STATE))
        return;
    const char *from = bytes, *to = from + size, *report = (const char *)part.report;
    if (report < from || part.head.report_size > (size_t)(to - report) || part.packed < report ||
        part.head.packed_size != (size_t)(to - part.packed))
        abort();
}

/* Few bytes are one by chance: so also one that is, with some of its bytes changed. */
static void changed_check(const uint8_t *data, size_t size)
{
    const size_t report_size = wire_result_size(STATE, false),
                 report_room = (report_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT,
                 head_room = (sizeof(struct part_head) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT,
                 whole = head_room + report_room + ALIGNMENT;
    char *bytes = aligned_alloc(ALIGNMENT, whole);
    struct wire_result *report = (struct wire_result *)(void *)(bytes + head_room);
    struct part_head head;
    struct part part;
    if (!bytes)
        abort();
    memset(bytes, 0, whole);
    part_head_init(&head);
    head.package.count = report->package.count = report->summary.tasks = 2;
    head.report_size = report_size;
    head.packed_size = ALIGNMENT;
    wire_result_return(report, bytes + head_room + report_room, ALIGNMENT);
    wire_result_seal(report, STATE);
    memcpy(bytes, &head, sizeof head);
    if (!part_open(&part, bytes, whole, STATE))
        abort();
    for (size_t k = 0; k + 2 < size; k += 3)
        bytes[(data[k] * 256u + data[k + 1]) % whole] ^= (char)data[k + 2];
    part_check(bytes, whole);
    part_check(bytes, size < whole ? size : whole);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    job_check(data, size);
    changed_check(data, size);
    return 0;
}
