/* scow go --dry-run: the first core tasks as they would be run. */
#ifndef CALIBRATE_GO_GO_PREVIEW_H
#define CALIBRATE_GO_GO_PREVIEW_H

#include "calibrate/go/go_pilot.h"

/* In place of a run there is a preview: on the master, on standard output, the core tasks that
 * would be computed first, and what else would be done on standard error. */
void go_preview_init(struct go_pilot *pilot);

#endif
