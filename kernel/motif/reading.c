#include "kernel/motif/reading.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LETTER_SIZE = 16 };

static void label_print(char label[LABEL_SIZE], int64_t index, const struct scow_item *item)
{
    const char *name = item->name ? item->name : "";
    char word[LABEL_SIZE - 32];
    size_t length = 0;
    while (length < sizeof word - 1 && name[length] > ' ' && name[length] <= '~') {
        word[length] = name[length];
        length++;
    }
    word[length] = '\0';
    if (length > 0)
        snprintf(label, LABEL_SIZE, "sequence %" PRId64 " (%s)", index + 1, word);
    else
        snprintf(label, LABEL_SIZE, "sequence %" PRId64, index + 1);
}

static char capital(char letter)
{
    return letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter;
}

static int refuse_letter(const struct reading *reading, const char *label, size_t place,
                         char letter)
{
    char text[LETTER_SIZE];
    if (letter > ' ' && letter <= '~')
        snprintf(text, sizeof text, "'%c'", letter);
    else
        snprintf(text, sizeof text, "byte 0x%02X", (unsigned)(unsigned char)letter);
    return reading->host->fail(reading->host,
                               "letter %zu of %s is %s, and motifs are of A, C, G and T: "
                               "replace it, or leave the sequence out",
                               place + 1, label, text);
}

/* How many start positions are searched in a sequence: those wanted, or all that there are. */
static int starts_find(struct reading *reading, const char *label, size_t letters, int64_t *starts)
{
    const struct scow_host *host = reading->host;
    const int length = reading->shape.length;
    const int64_t all = (int64_t)letters - length + 1;
    if (all < 1)
        return host->fail(host,
                          "%s has %zu letters, and a motif of %d does not fit into it: lower "
                          "--length, or leave the sequence out",
                          label, letters, length);
    if (all < reading->positions)
        return host->fail(
            host,
            "%s has %zu letters, and %" PRId64 " start positions of motifs of %d take %" PRId64
            ": lower --positions or --length, or leave the sequence out",
            label, letters, reading->positions, length, reading->positions + length - 1);
    *starts = reading->positions > 0 ? reading->positions : all;
    if (*starts > STARTS_MOST)
        return host->fail(host,
                          "%s has %" PRId64 " start positions, and at most %d can be "
                          "searched: say how many with --positions",
                          label, *starts, (int)STARTS_MOST);
    return SCOW_OK;
}

/* Append a sequence's letters, as far as motifs reach. All of them are looked at: a wrong one that
 * is not reached is wrong all the same. */
static int letters_add(struct reading *reading, int index, const struct scow_item *item,
                       const char *label)
{
    const size_t reach = (size_t)shape_letters(&reading->shape, index);
    char *bytes = realloc(reading->bytes, reading->size + reach);
    if (!bytes)
        return reading->host->fail(reading->host, "not enough memory for %s: search fewer", label);
    reading->bytes = bytes;
    for (size_t i = 0; i < item->size; i++) {
        const char letter = capital(item->bytes[i]);
        if (letter != 'A' && letter != 'C' && letter != 'G' && letter != 'T')
            return refuse_letter(reading, label, i, item->bytes[i]);
        if (i < reach)
            bytes[reading->size + i] = letter;
    }
    reading->size += reach;
    return SCOW_OK;
}

static int sequence_read(struct reading *reading, int index)
{
    char label[LABEL_SIZE];
    struct scow_item item;
    int status = reading->host->read_item(reading->host, index, &item);
    if (status != SCOW_OK)
        return status;
    label_print(label, index, &item);
    status = starts_find(reading, label, item.size, &reading->shape.starts[index]);
    return status == SCOW_OK ? letters_add(reading, index, &item, label) : status;
}

int reading_label(const struct scow_host *host, int index, char label[LABEL_SIZE])
{
    struct scow_item item;
    const int status = host->read_item(host, index, &item);
    if (status == SCOW_OK)
        label_print(label, index, &item);
    return status;
}

int reading_count(const struct scow_host *host, int64_t wanted, const struct scow_input *input,
                  int *sequences)
{
    const int64_t all = input->extent[0];
    if (all < 1 || all < wanted)
        return host->fail(host,
                          "the input has %" PRId64 " sequences, and --sequences wants %" PRId64
                          ": lower it, or add sequences",
                          all, wanted > 0 ? wanted : 1);
    if (wanted == 0 && all > SEQUENCES_MOST)
        return host->fail(host,
                          "the input has %" PRId64 " sequences, and at most %d can be searched: "
                          "say how many of the first ones with --sequences",
                          all, (int)SEQUENCES_MOST);
    *sequences = (int)(wanted > 0 ? wanted : all);
    return SCOW_OK;
}

int reading_take(struct reading *reading)
{
    struct motif_shape *shape = &reading->shape;
    struct motif_shared shared = {.sequences = shape->sequences};
    reading->size = sizeof shared;
    reading->bytes = malloc(reading->size);
    if (!reading->bytes)
        return reading->host->fail(reading->host, "not enough memory to read sequences");
    for (int i = 0; i < shape->sequences; i++) {
        const int status = sequence_read(reading, i);
        if (status != SCOW_OK)
            return status;
        shared.starts[i] = shape->starts[i];
    }
    memcpy(reading->bytes, &shared, sizeof shared);
    return SCOW_OK;
}
