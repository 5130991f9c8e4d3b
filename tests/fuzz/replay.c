/* Stands in for libFuzzer where there is none: replays the files of a corpus, then mutations of
 * each, the same ones every time.
 *
 *     replay DIRECTORY [MUTATIONS]
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/target.h"

enum { INPUT_MOST = 1 << 16, EDITS_MOST = 4 };

struct input {
    uint8_t bytes[INPUT_MOST];
    size_t size;
};

/* splitmix64 */
static uint64_t random_next(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void input_edit(struct input *input, uint64_t *seed)
{
    static const char telling[] = "0129 -\n\r>#\"{}[],:.eE\xff\x80";
    if (input->size == 0)
        return;
    size_t at = random_next(seed) % input->size;
    switch (random_next(seed) % 4) {
    case 0:
        input->bytes[at] ^= (uint8_t)(1u << random_next(seed) % 8);
        break;
    case 1:
        input->bytes[at] = (uint8_t)telling[random_next(seed) % (sizeof telling - 1)];
        break;
    case 2: /* leave a byte out */
        memmove(input->bytes + at, input->bytes + at + 1, input->size - at - 1);
        input->size--;
        break;
    default: /* put one in twice */
        if (input->size < INPUT_MOST) {
            memmove(input->bytes + at + 1, input->bytes + at, input->size - at);
            input->size++;
        }
    }
}

/* In memory of exactly its size, so that a sanitizer sees a read past the end. */
static void input_try(const struct input *input)
{
    uint8_t *exact = malloc(input->size > 0 ? input->size : 1);
    if (!exact)
        abort();
    memcpy(exact, input->bytes, input->size);
    LLVMFuzzerTestOneInput(exact, input->size);
    free(exact);
}

static void input_mutate(const struct input *input, long mutations)
{
    static struct input mutated;
    uint64_t seed = 1;
    for (long i = 0; i < mutations; i++) {
        mutated = *input;
        for (uint64_t edits = 1 + random_next(&seed) % EDITS_MOST; edits > 0; edits--)
            input_edit(&mutated, &seed);
        input_try(&mutated);
    }
}

/* False when there is no such file. */
static int file_replay(const char *directory, const char *name, long mutations)
{
    static struct input input;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return 0;
    input.size = fread(input.bytes, 1, sizeof input.bytes, stream);
    fclose(stream);
    input_try(&input);
    input_mutate(&input, mutations);
    return 1;
}

int main(int argc, char **argv)
{
    int replayed = 0;
    DIR *stream = argc > 1 ? opendir(argv[1]) : NULL;
    if (!stream) {
        fprintf(stderr, "usage: replay DIRECTORY [MUTATIONS]\n");
        return 2;
    }
    for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream))
        if (entry->d_name[0] != '.')
            replayed +=
                file_replay(argv[1], entry->d_name, argc > 2 ? strtol(argv[2], NULL, 10) : 0);
    closedir(stream);
    printf("%d files replayed\n", replayed);
    return replayed > 0 ? 0 : 1;
}
