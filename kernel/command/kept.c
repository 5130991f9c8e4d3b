#include "kernel/command/kept.h"

#include <string.h>

/* Bytes of the character that begins with this one (The Unicode Standard 15.0, table 3-7), and the
 * range of the second of them; 0: none begins so. */
static size_t character_size(unsigned char first, unsigned char range[2])
{
    range[0] = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    range[1] = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (first > 0 && first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Of the character at `at`, how many of its bytes are there and right; *whole says whether all. */
static size_t character_read(const char *at, size_t left, bool *whole)
{
    unsigned char range[2];
    const size_t size = character_size((unsigned char)*at, range);
    size_t good = size > 0;
    for (; good < size && good < left; good++) {
        const unsigned char byte = (unsigned char)at[good];
        if (byte < (good == 1 ? range[0] : 0x80) || byte > (good == 1 ? range[1] : 0xbf))
            break;
    }
    *whole = size > 0 && good == size;
    return good;
}

void kept_clean(char *bytes, size_t size, size_t capacity, bool cut)
{
    size_t at = 0;
    while (at < size) {
        bool whole;
        const size_t good = character_read(bytes + at, size - at, &whole);
        if (!whole && good > 0 && at + good == size && cut)
            size = at;
        else if (!whole)
            bytes[at++] = '?';
        else
            at += good;
    }
    if (!cut && size > 0 && bytes[size - 1] == '\n')
        size--;
    memset(bytes + size, 0, capacity - size);
}
