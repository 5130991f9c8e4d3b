#include "tests/kernel/motif_dna.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *letters_new(size_t size)
{
    char *letters = calloc(size + 1, 1);
    if (!letters)
        abort();
    return letters;
}

void dna_sequence(struct random *random, int alphabet, int size, char *letters)
{
    for (int k = 0; k < size; k++)
        letters[k] = "ACGT"[random_between(random, 0, alphabet - 1)];
}

void dna_random(struct motif_sequences *sequences, struct random *random, int count, int alphabet,
                int least, int most)
{
    *sequences = (struct motif_sequences){.count = count};
    for (int i = 0; i < count; i++) {
        const int size = (int)random_between(random, least, most);
        char *letters = letters_new((size_t)size);
        dna_sequence(random, alphabet, size, letters);
        sequences->letters[i] = letters;
    }
}

/* A line of the file without what ends it. */
static bool line_read(FILE *file, char *line, int size)
{
    if (!fgets(line, size, file))
        return false;
    line[strcspn(line, "\r\n")] = '\0';
    return true;
}

void dna_crp(struct motif_sequences *sequences)
{
    enum { MOST = 200 };
    FILE *file = fopen(GOLDEN_DIRECTORY "/crp0.fa", "r");
    char line[MOST], *letters = NULL;
    *sequences = (struct motif_sequences){.count = 0};
    while (file && line_read(file, line, MOST)) {
        if (line[0] == '>') {
            char *name = letters_new(strlen(line));
            strcpy(name, line + 1);
            letters = letters_new(MOST);
            sequences->names[sequences->count] = name;
            sequences->letters[sequences->count++] = letters;
        } else if (letters && strlen(letters) + strlen(line) < MOST) {
            strcat(letters, line);
        }
    }
    if (!file || fclose(file) != 0 || sequences->count != 18)
        abort();
}

static void borrowed_free(const char *text)
{
    free((void *)(uintptr_t)text);
}

void dna_release(struct motif_sequences *sequences)
{
    for (int i = 0; i < sequences->count; i++) {
        borrowed_free(sequences->letters[i]);
        borrowed_free(sequences->names[i]);
    }
    sequences->count = 0;
}
