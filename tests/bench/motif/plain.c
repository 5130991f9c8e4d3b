#ifndef PLAIN_RUN
#define PLAIN_RUN plain_run
#endif
#include "tests/bench/motif/plain.h"

#include <string.h>

static int score_of(const struct plain *plain)
{
    int profile[4][127], score = 0;
    for (int c = 0; c < 4; c++)
        memset(profile[c], 0, (size_t)plain->length * sizeof(int));
    for (int i = 0; i < plain->sequences; i++) {
        const uint8_t *letters = plain->letters[i] + plain->position[i];
        for (int j = 0; j < plain->length; j++)
            profile[letters[j]][j]++;
    }
    for (int j = 0; j < plain->length; j++) {
        int most = profile[0][j];
        for (int c = 1; c < 4; c++)
            if (profile[c][j] > most)
                most = profile[c][j];
        score += most;
    }
    return score;
}

static void position_advance(struct plain *plain)
{
    int i = plain->sequences - 1;
    while (i >= 0 && ++plain->position[i] == plain->starts[i])
        plain->position[i--] = 0;
}

struct plain_best PLAIN_RUN(struct plain *plain, int64_t count) {
    struct plain_best best = {0};
    for (int64_t k = 0; k < count; k++, position_advance(plain)) {
        const int score = score_of(plain);
        if (score > best.score) {
            best.score = score;
            memcpy(best.position, plain->position, sizeof best.position);
        }
    }
    return best;
}
