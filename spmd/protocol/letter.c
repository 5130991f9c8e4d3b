#include "spmd/protocol/letter.h"

#include <stdlib.h>
#include <string.h>

/* The parts follow the head, each with a terminating zero, and aligned to ALIGNMENT. */
struct letter_head {
    uint64_t sizes[LETTER_PARTS];
};

enum { ALIGNMENT = 64 };

/* Numbers with another byte order, or with another size of long, would be misread. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ORDER "little-endian"
#else
#define ORDER "big-endian"
#endif
#if defined __x86_64__
#define PROCESSOR "x86-64"
#elif defined __aarch64__
#define PROCESSOR "aarch64"
#elif defined __powerpc64__
#define PROCESSOR "ppc64"
#elif defined __riscv
#define PROCESSOR "riscv"
#else
#define PROCESSOR "another processor"
#endif

const char *letter_version(void)
{
    return SCOW_VERSION " " __VERSION__ " " PROCESSOR " " ORDER;
}

static size_t aligned(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

char *letter_write(const struct letter *letter, size_t *size)
{
    struct letter_head head;
    size_t end = aligned(sizeof head);
    for (int k = 0; k < LETTER_PARTS; k++) {
        head.sizes[k] = letter->sizes[k];
        end += aligned(letter->sizes[k] + 1);
    }
    char *bytes = calloc(1, end), *at = bytes;
    if (!bytes)
        return NULL;
    memcpy(at, &head, sizeof head);
    at += aligned(sizeof head);
    for (int k = 0; k < LETTER_PARTS; k++) {
        if (letter->sizes[k] > 0)
            memcpy(at, letter->parts[k], letter->sizes[k]);
        at += aligned(letter->sizes[k] + 1);
    }
    *size = end;
    return bytes;
}

/* Is it of the same version, with blocks of the sizes that this version has? */
static bool is_ours(const struct letter *letter)
{
    const char *version = letter_version();
    return letter->sizes[LETTER_VERSION] == strlen(version) &&
           memcmp(letter->parts[LETTER_VERSION], version, strlen(version)) == 0 &&
           letter->sizes[LETTER_JOB] == sizeof(struct letter_job) &&
           letter->sizes[LETTER_VALUES] % sizeof(double) == 0;
}

bool letter_read(struct letter *letter, const char *bytes, size_t size)
{
    struct letter_head head;
    size_t at = aligned(sizeof head);
    if (size < at)
        return false;
    memcpy(&head, bytes, sizeof head);
    for (int k = 0; k < LETTER_PARTS; k++) {
        if (head.sizes[k] >= size - at || aligned((size_t)head.sizes[k] + 1) > size - at ||
            bytes[at + head.sizes[k]] != '\0')
            return false;
        letter->parts[k] = bytes + at;
        letter->sizes[k] = (size_t)head.sizes[k];
        at += aligned(letter->sizes[k] + 1);
    }
    return at == size && is_ours(letter);
}

double *letter_numbers(const struct values *values, size_t *size)
{
    double *numbers = calloc((size_t)values->count + 1, sizeof *numbers);
    for (int i = 0; numbers && i < values->count; i++)
        numbers[i] = values->items[i].number;
    *size = (size_t)values->count * sizeof *numbers;
    return numbers;
}

/* How many words a parameter may have. */
static int word_count(const struct scow_parameter *parameter)
{
    int count = 0;
    while (parameter->words[count])
        count++;
    return count;
}

bool letter_settle(struct values *values, const struct scow_task *task, const struct letter *letter)
{
    if (letter->sizes[LETTER_VALUES] != (size_t)values->count * sizeof(double))
        return false;
    for (int i = 0; i < values->count; i++) {
        const struct scow_parameter *parameter = &task->parameters[i];
        double number;
        memcpy(&number, letter->parts[LETTER_VALUES] + (size_t)i * sizeof number, sizeof number);
        if (parameter->kind == SCOW_WORD && !(number >= 0 && number < word_count(parameter)))
            return false;
        values->items[i].number = number;
        if (parameter->kind == SCOW_WORD)
            values->items[i].text = parameter->words[(int)number];
    }
    return true;
}
