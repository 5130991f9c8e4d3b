/* The perfect pairs of a setting: how many workers one master can feed at which package size, and
 * what each worker more brings (schedulers/scow/pairs.h). */
#ifndef PLANNER_STUDIES_PAIRS_TABLE_H
#define PLANNER_STUDIES_PAIRS_TABLE_H

#include "planner/base/failure.h"
#include "planner/base/text.h"
#include "planner/model/platform.h"
#include "planner/schedulers/scow/pairs.h"

enum { PAIRS_ORDERS = 3 }; /* activation orders: by feed, by work, by ratio */

/* One window of package sizes. */
struct pairs_window {
    int64_t least, greatest; /* core tasks */
    bool equal;              /* of workers that count as equal, only the first order is there */
    struct cost feed, work;  /* then, what they have in common: h and r + w */
    struct {
        enum ranking_order order;
        struct ranking ranking; /* owned */
        struct pairs pairs;     /* owned */
    } orders[PAIRS_ORDERS];
    int order_count;
};

struct pairs_table {
    int64_t workers;              /* of the platform */
    struct pairs_window *windows; /* owned */
    int64_t window_count;
};

/* To be released. Workers whose costs differ by at most 5 % are equal, with their mean costs
 * (Definitions 5 and 6). Fails when out of memory. */
bool pairs_table_make(const struct platform *platform, struct pairs_table *table,
                      struct failure *failure);
void pairs_table_text(const struct pairs_table *table, struct text *text);
void pairs_table_json(const struct pairs_table *table, struct text *text);
/* Figure 4-2 as SVG, a panel for each window, in the first order: the port's time R(i, T) of i
 * workers over the period, and the diagonal, which it crosses at T_i. */
void pairs_table_svg(const struct pairs_table *table, struct text *text);
void pairs_table_release(struct pairs_table *table);

#endif
