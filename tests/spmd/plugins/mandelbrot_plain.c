/* What jobs/plugins/opencl computes, in plain C: plain SIZE ITERATIONS, a row a line. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const long long size = argc > 2 ? atoll(argv[1]) : 0, most = argc > 2 ? atoll(argv[2]) : 0;
    const long long unit = 1LL << 26;
    for (long long row = 0; row < size; row++)
        for (long long column = 0; column < size; column++) {
            const long long re = 3 * unit * column / size - 2 * unit;
            const long long im = 3 * unit * row / size - 3 * unit / 2;
            long long x = 0, y = 0, n = 0;
            for (; n < most && x * x + y * y <= 4 * unit * unit; n++) {
                const long long next = (x * x - y * y) / unit + re;
                y = 2 * x * y / unit + im;
                x = next;
            }
            printf("%lld%c", n, column + 1 < size ? ',' : '\n');
        }
    return 0;
}
