/* How much wider an interval is if a deviation is known from few timings only. */
#ifndef CALIBRATE_FIT_STUDENT_H
#define CALIBRATE_FIT_STUDENT_H

/* The deviation of a normal distribution that 90 % of a Student's one of so many degrees lie within
 * the 90 % of. Expansion: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5; one
 * degree counts as two. */
double student_widening(double freedom);

#endif
