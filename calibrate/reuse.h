/*
 * An existing profile: is it valid for what would be measured?
 */
#ifndef CALIBRATE_REUSE_H
#define CALIBRATE_REUSE_H

#include "calibrate/calibration.h"

/* Local. Has the profile (`path`: its name) a setting with all of these parameters and so many
 * threads (0: as the profile's host says)? If not, FAILURE_MISMATCH. */
bool reuse_has(const struct profile *profile, const char *path,
               const struct parameter_list *parameters, int threads, struct failure *failure);
/* Collective. If there is no file `path`, *there becomes false. Otherwise it must be a profile of
 * this machine, these ranks, this core task and every requested setting: else FAILURE_MISMATCH with
 * a sentence that names the difference. */
bool reuse_find(struct comm *comm, const struct calibration_request *request, const char *path,
                bool *there, struct failure *failure);

#endif
