/* How much wider an interval is if a deviation is known from few timings only. */
#ifndef CALIBRATE_FIT_STUDENT_H
#define CALIBRATE_FIT_STUDENT_H

/* The standard deviation of the normal distribution with the same central 90 % interval as
 * Student's t distribution with so many degrees of freedom. Expansion: Abramowitz and Stegun,
 * Handbook of Mathematical Functions, 26.7.5; one degree counts as two. */
double student_widening(double freedom);

#endif
