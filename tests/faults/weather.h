/* How likely what is, drawn for a part of a run (struct weather of world.h). */
#ifndef TESTS_FAULTS_WEATHER_H
#define TESTS_FAULTS_WEATHER_H

#include "tests/faults/world.h"

/* Nothing is wrong, and messages and writes take next to no time. */
struct weather weather_calm(void);
/* Nothing is wrong. */
struct weather weather_fair(void);
struct weather weather_draw(void);

#endif
