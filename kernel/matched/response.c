#include "kernel/matched/response.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct response {
    int count;
    struct groups *summands[BANK_SCALES_MOST]; /* owned */
    int rows, columns;                         /* of the largest tile */
};

static int scale_most(const struct bank *bank)
{
    int most = 0;
    for (int i = 0; i < bank->count; i++)
        if (most < bank->filters[i].scale)
            most = bank->filters[i].scale;
    return most;
}

/* The filters of one scale. NULL: out of memory. */
static struct bank *bank_new_scale(const struct bank *bank, int scale)
{
    int *indices = calloc((size_t)bank->count + 1, sizeof *indices), count = 0;
    if (!indices)
        return NULL;
    for (int i = 0; i < bank->count; i++)
        if (bank->filters[i].scale == scale)
            indices[count++] = i;
    struct bank *part = bank_new_subset(bank, indices, count);
    free(indices);
    return part;
}

/* The bank whose maximum is summand i. NULL: out of memory. */
static struct bank *summand_bank(const struct bank *bank, enum combine combine, int i)
{
    if (combine == COMBINE_SUMMAX)
        return bank_new_scale(bank, i);
    return bank_new_collapsed(bank, combine);
}

static int summand_count(const struct bank *bank, enum combine combine)
{
    return combine == COMBINE_SUMMAX ? scale_most(bank) + 1 : 1;
}

/* False: out of memory. A scale without filters adds nothing. */
static bool summand_add(struct response *response, const struct bank *bank, enum combine combine,
                        int i, const struct demand *demand, const struct groups_choice *choice)
{
    struct bank *part = summand_bank(bank, combine, i);
    if (!part)
        return false;
    bool done = true;
    if (part->count > 0) {
        struct groups *groups = groups_new(part, demand, choice);
        done = groups != NULL;
        response->summands[response->count] = groups;
        response->count += done;
    }
    bank_free(&part);
    return done;
}

struct response *response_new(const struct bank *bank, enum combine combine,
                              const struct demand *demand, const struct response_choice *choice)
{
    int summands = summand_count(bank, combine);
    struct response *response = calloc(1, sizeof *response);
    if (!response)
        return NULL;
    response->rows = demand->rows;
    response->columns = demand->columns;
    bool done = true;
    for (int i = 0; done && i < summands; i++)
        done = summand_add(response, bank, combine, i, demand, &choice->summands[i]);
    if (!done)
        response_free(&response);
    return response;
}

/* A summand after the first goes through a tile in the workspace. */
static size_t scratch_bytes(const struct response *response)
{
    if (response->count < 2)
        return 0;
    size_t bytes = (size_t)response->rows * (size_t)response->columns * sizeof(float);
    return (bytes + 63) / 64 * 64;
}

size_t response_workspace_bytes(const struct response *response)
{
    size_t most = 0;
    for (int i = 0; i < response->count; i++) {
        size_t bytes = groups_workspace_bytes(response->summands[i]);
        if (bytes > most)
            most = bytes;
    }
    return scratch_bytes(response) + most;
}

static void tile_add(const struct tile *tile, const float *summand)
{
    for (int y = 0; y < tile->rows; y++)
        for (int x = 0; x < tile->columns; x++)
            tile->result[y * tile->result_stride + x] += summand[y * tile->columns + x];
}

void response_run(const struct response *response, const struct tile *tile, void *workspace)
{
    struct tile scratch = *tile;
    char *rest = (char *)workspace + scratch_bytes(response);
    scratch.result = workspace;
    scratch.result_stride = tile->columns;
    groups_run(response->summands[0], tile, rest);
    for (int i = 1; i < response->count; i++) {
        groups_run(response->summands[i], &scratch, rest);
        tile_add(tile, scratch.result);
    }
}

/* Choose for summand i, and add what it takes. False: out of memory. */
static bool summand_choose(const struct bank *bank, enum combine combine, int i,
                           const struct demand *demands, int count,
                           const struct algorithm *algorithm, struct response_choice *choices)
{
    struct groups_choice own[DEMANDS_MOST];
    struct bank *part = summand_bank(bank, combine, i);
    if (!part)
        return false;
    const bool any = part->count > 0;
    const bool done = !any || groups_choose(part, demands, count, algorithm, own);
    bank_free(&part);
    for (int d = 0; any && done && d < count; d++) {
        choices[d].summands[i] = own[d];
        choices[d].effort += own[d].effort;
    }
    return done;
}

bool response_choose(const struct bank *bank, enum combine combine, const struct demand *demands,
                     int count, const struct algorithm *algorithm, struct response_choice *choices)
{
    bool done = true;
    assert(count <= DEMANDS_MOST);
    memset(choices, 0, (size_t)count * sizeof *choices);
    for (int i = 0; done && i < summand_count(bank, combine); i++)
        done = summand_choose(bank, combine, i, demands, count, algorithm, choices);
    return done;
}

const struct groups *response_summand(const struct response *response, int i)
{
    return i >= 0 && i < response->count ? response->summands[i] : NULL;
}

void response_free(struct response **response)
{
    if (!*response)
        return;
    for (int i = 0; i < (*response)->count; i++)
        groups_free(&(*response)->summands[i]);
    free(*response);
    *response = NULL;
}
