/* What is done to the ranks of a part of a run. */
#ifndef TESTS_FAULTS_DISTURBANCES_H
#define TESTS_FAULTS_DISTURBANCES_H

/* Kills, stops, signals and jumps of clocks: some as soon as there are ranks, most of them while
 * there is work, for about so many seconds. */
void disturbances_draw(double work_s);

#endif
