/*
 * Inverse Fourier transforms (exponent +i) of a few points in registers, VECTOR_LANES at a time, in
 * place: value k is re[k] + i im[k]. Forward transforms are the same with re and im exchanged.
 *
 * Lengths that are products of coprime factors go by Good's mapping, which needs no twiddles
 * (I. J. Good, The interaction algorithm and practical Fourier analysis, J. R. Stat. Soc. B 20
 * (1958) 361-372): point (n1, n2) is at N2 n1 + N1 n2 mod N, frequency (k1, k2) at the k that is
 * k1 mod N1 and k2 mod N2.
 */
#ifndef KERNEL_MATCHED_CORRELATORS_FFT_SMALL_H
#define KERNEL_MATCHED_CORRELATORS_FFT_SMALL_H

#include "kernel/vector/vector.h"

VECTOR_INLINE void dft2(vector *re, vector *im)
{
    const vector r = re[0] - re[1], i = im[0] - im[1];
    re[0] += re[1];
    im[0] += im[1];
    re[1] = r;
    im[1] = i;
}

VECTOR_INLINE void dft3(vector *re, vector *im)
{
    const vector half = vector_all(0.5F), sine = vector_all(0.866025403784438647F);
    const vector sr = re[1] + re[2], si = im[1] + im[2];
    const vector dr = re[1] - re[2], di = im[1] - im[2];
    const vector mr = vector_fnma(half, sr, re[0]), mi = vector_fnma(half, si, im[0]);
    re[0] += sr;
    im[0] += si;
    re[1] = vector_fnma(sine, di, mr);
    im[1] = vector_fma(sine, dr, mi);
    re[2] = vector_fma(sine, di, mr);
    im[2] = vector_fnma(sine, dr, mi);
}

VECTOR_INLINE void dft4(vector *re, vector *im)
{
    const vector ar = re[0] + re[2], ai = im[0] + im[2], br = re[0] - re[2], bi = im[0] - im[2];
    const vector cr = re[1] + re[3], ci = im[1] + im[3], dr = re[1] - re[3], di = im[1] - im[3];
    re[0] = ar + cr;
    im[0] = ai + ci;
    re[1] = br - di;
    im[1] = bi + dr;
    re[2] = ar - cr;
    im[2] = ai - ci;
    re[3] = br + di;
    im[3] = bi - dr;
}

VECTOR_INLINE void dft5(vector *re, vector *im)
{
    /* cosines and sines of one and two fifths of a turn */
    const vector c1 = vector_all(0.309016994374947424F), c2 = vector_all(0.809016994374947424F);
    const vector s1 = vector_all(0.951056516295153572F), s2 = vector_all(0.587785252292473129F);
    const vector pr = re[1] + re[4], pi = im[1] + im[4], qr = re[1] - re[4], qi = im[1] - im[4];
    const vector ur = re[2] + re[3], ui = im[2] + im[3], vr = re[2] - re[3], vi = im[2] - im[3];
    const vector ar = vector_fnma(c2, ur, vector_fma(c1, pr, re[0]));
    const vector ai = vector_fnma(c2, ui, vector_fma(c1, pi, im[0]));
    const vector br = vector_fma(c1, ur, vector_fnma(c2, pr, re[0]));
    const vector bi = vector_fma(c1, ui, vector_fnma(c2, pi, im[0]));
    const vector er = vector_fma(s1, qr, s2 * vr), ei = vector_fma(s1, qi, s2 * vi);
    const vector fr = vector_fnma(s1, vr, s2 * qr), fi = vector_fnma(s1, vi, s2 * qi);
    re[0] += pr + ur;
    im[0] += pi + ui;
    re[1] = ar - ei;
    im[1] = ai + er;
    re[4] = ar + ei;
    im[4] = ai - er;
    re[2] = br - fi;
    im[2] = bi + fr;
    re[3] = br + fi;
    im[3] = bi - fr;
}

VECTOR_INLINE void dft8(vector *re, vector *im)
{
    const vector root = vector_all(0.707106781186547524F);
    vector er[4] = {re[0], re[2], re[4], re[6]}, ei[4] = {im[0], im[2], im[4], im[6]};
    vector hr[4] = {re[1], re[3], re[5], re[7]}, hi[4] = {im[1], im[3], im[5], im[7]};
    dft4(er, ei);
    dft4(hr, hi);
    const vector pr = hr[1] - hi[1], pi = hr[1] + hi[1]; /* (1 + i) odd[1] */
    const vector qr = hr[3] + hi[3], qi = hr[3] - hi[3]; /* (1 - i) odd[3], to be turned by i */
    re[0] = er[0] + hr[0];
    im[0] = ei[0] + hi[0];
    re[4] = er[0] - hr[0];
    im[4] = ei[0] - hi[0];
    re[2] = er[2] - hi[2];
    im[2] = ei[2] + hr[2];
    re[6] = er[2] + hi[2];
    im[6] = ei[2] - hr[2];
    re[1] = vector_fma(root, pr, er[1]);
    im[1] = vector_fma(root, pi, ei[1]);
    re[5] = vector_fnma(root, pr, er[1]);
    im[5] = vector_fnma(root, pi, ei[1]);
    re[3] = vector_fnma(root, qr, er[3]);
    im[3] = vector_fma(root, qi, ei[3]);
    re[7] = vector_fma(root, qr, er[3]);
    im[7] = vector_fnma(root, qi, ei[3]);
}

VECTOR_INLINE void dft6(vector *re, vector *im)
{
    static const int at[2][3] = {{0, 2, 4}, {3, 5, 1}};
    vector r[2][3], i[2][3];
    VECTOR_UNROLL
    for (int n = 0; n < 6; n++) {
        r[n / 3][n % 3] = re[at[n / 3][n % 3]];
        i[n / 3][n % 3] = im[at[n / 3][n % 3]];
    }
    dft3(r[0], i[0]);
    dft3(r[1], i[1]);
    VECTOR_UNROLL
    for (int k = 0; k < 3; k++) {
        const int even = 4 * k % 6, odd = (4 * k + 3) % 6;
        re[even] = r[0][k] + r[1][k];
        im[even] = i[0][k] + i[1][k];
        re[odd] = r[0][k] - r[1][k];
        im[odd] = i[0][k] - i[1][k];
    }
}

VECTOR_INLINE void dft10(vector *re, vector *im)
{
    vector r[2][5], i[2][5];
    VECTOR_UNROLL
    for (int n = 0; n < 10; n++) {
        const int at = (5 * (n / 5) + 2 * (n % 5)) % 10;
        r[n / 5][n % 5] = re[at];
        i[n / 5][n % 5] = im[at];
    }
    dft5(r[0], i[0]);
    dft5(r[1], i[1]);
    VECTOR_UNROLL
    for (int k = 0; k < 5; k++) {
        const int even = 6 * k % 10, odd = (6 * k + 5) % 10;
        re[even] = r[0][k] + r[1][k];
        im[even] = i[0][k] + i[1][k];
        re[odd] = r[0][k] - r[1][k];
        im[odd] = i[0][k] - i[1][k];
    }
}

VECTOR_INLINE void dft12(vector *re, vector *im)
{
    vector r[3][4], i[3][4];
    VECTOR_UNROLL
    for (int n = 0; n < 12; n++) {
        const int at = (4 * (n / 4) + 3 * (n % 4)) % 12;
        r[n / 4][n % 4] = re[at];
        i[n / 4][n % 4] = im[at];
    }
    VECTOR_UNROLL
    for (int n = 0; n < 3; n++)
        dft4(r[n], i[n]);
    VECTOR_UNROLL
    for (int k = 0; k < 4; k++) {
        vector cr[3] = {r[0][k], r[1][k], r[2][k]}, ci[3] = {i[0][k], i[1][k], i[2][k]};
        dft3(cr, ci);
        VECTOR_UNROLL
        for (int j = 0; j < 3; j++) {
            re[(4 * j + 9 * k) % 12] = cr[j];
            im[(4 * j + 9 * k) % 12] = ci[j];
        }
    }
}

/* (re, im) times c + i s. */
VECTOR_INLINE void turn(vector *re, vector *im, vector c, vector s)
{
    const vector r = vector_fnma(*im, s, *re * c);
    *im = vector_fma(*im, c, *re * s);
    *re = r;
}

VECTOR_INLINE void dft16(vector *re, vector *im)
{
    /* cosine and sine of n k sixteenths of a turn, for n, k in 1..3 */
    static const float cosine[4][4] = {
        {1, 1, 1, 1},
        {1, 0.923879532511286756F, 0.707106781186547524F, 0.382683432365089772F},
        {1, 0.707106781186547524F, 0, -0.707106781186547524F},
        {1, 0.382683432365089772F, -0.707106781186547524F, -0.923879532511286756F}};
    static const float sine[4][4] = {
        {0, 0, 0, 0},
        {0, 0.382683432365089772F, 0.707106781186547524F, 0.923879532511286756F},
        {0, 0.707106781186547524F, 1, 0.707106781186547524F},
        {0, 0.923879532511286756F, 0.707106781186547524F, -0.382683432365089772F}};
    vector r[4][4], i[4][4];
    VECTOR_UNROLL
    for (int n = 0; n < 4; n++) {
        VECTOR_UNROLL
        for (int j = 0; j < 4; j++) {
            r[n][j] = re[4 * j + n];
            i[n][j] = im[4 * j + n];
        }
        dft4(r[n], i[n]);
        VECTOR_UNROLL
        for (int k = 1; k < 4; k++)
            if (n > 0)
                turn(&r[n][k], &i[n][k], vector_all(cosine[n][k]), vector_all(sine[n][k]));
    }
    VECTOR_UNROLL
    for (int k = 0; k < 4; k++) {
        vector cr[4] = {r[0][k], r[1][k], r[2][k], r[3][k]};
        vector ci[4] = {i[0][k], i[1][k], i[2][k], i[3][k]};
        dft4(cr, ci);
        VECTOR_UNROLL
        for (int j = 0; j < 4; j++) {
            re[k + 4 * j] = cr[j];
            im[k + 4 * j] = ci[j];
        }
    }
}

/* `points` is a constant where this is used, so that one branch remains. */
VECTOR_INLINE void dft_small(int points, vector *re, vector *im)
{
    switch (points) {
    case 3:
        dft3(re, im);
        break;
    case 4:
        dft4(re, im);
        break;
    case 5:
        dft5(re, im);
        break;
    case 6:
        dft6(re, im);
        break;
    case 8:
        dft8(re, im);
        break;
    case 10:
        dft10(re, im);
        break;
    case 12:
        dft12(re, im);
        break;
    default:
        dft16(re, im);
        break;
    }
}

#endif
