/* Fuzz target: any bytes are a letter, all of whose parts lie within them and end with a zero, or
 * are refused; the same of access files, whose text gives them back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/protocol/letter.h"
#include "tests/fuzz/target.h"

static void letter_check(const struct letter *letter, const char *bytes, size_t size)
{
    size_t again_size;
    for (int k = 0; k < LETTER_PARTS; k++)
        if (letter->parts[k] < bytes || letter->sizes[k] >= size ||
            letter->parts[k] + letter->sizes[k] >= bytes + size ||
            letter->parts[k][letter->sizes[k]] != '\0')
            abort();
    char *again = letter_write(letter, &again_size);
    struct letter read;
    if (!again || again_size != size || !letter_read(&read, again, again_size))
        abort();
    for (int k = 0; k < LETTER_PARTS; k++)
        if (read.sizes[k] != letter->sizes[k] ||
            memcmp(read.parts[k], letter->parts[k], read.sizes[k]) != 0)
            abort();
    free(again);
}

/* Few bytes are one by chance: so also one that is, with some of its bytes changed. */
static void changed_check(const uint8_t *data, size_t size)
{
    struct letter letter = {.sizes = {0}};
    const struct letter_job told = {.tasks = 7};
    size_t whole;
    for (int k = 0; k < LETTER_PARTS; k++)
        letter.parts[k] = "";
    letter.parts[LETTER_VERSION] = letter_version();
    letter.sizes[LETTER_VERSION] = strlen(letter_version());
    letter.parts[LETTER_PLAN] = (const char *)data;
    letter.sizes[LETTER_PLAN] = size;
    letter.parts[LETTER_JOB] = (const char *)&told;
    letter.sizes[LETTER_JOB] = sizeof told;
    char *bytes = letter_write(&letter, &whole);
    struct letter read;
    if (!bytes || !letter_read(&read, bytes, whole) || read.sizes[LETTER_PLAN] != size)
        abort();
    for (size_t k = 0; k + 1 < size; k += 2)
        bytes[data[k] % whole] ^= (char)data[k + 1];
    if (letter_read(&read, bytes, whole))
        letter_check(&read, bytes, whole);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct letter letter;
    char *bytes = malloc(size + 1);
    if (!bytes)
        abort();
    memcpy(bytes, data, size);
    if (letter_read(&letter, bytes, size))
        letter_check(&letter, bytes, size);
    changed_check(data, size);
    free(bytes);
    return 0;
}
