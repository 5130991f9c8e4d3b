/* Fuzz target: any text is an access file, whose text gives it back, or is refused with a sentence.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/transport/access.h"
#include "tests/fuzz/target.h"

static void access_check(const struct access *access)
{
    struct access again;
    struct failure failure = FAILURE_INIT;
    char text[ACCESS_TEXT_MOST];
    access_print(access, text);
    if (!access_parse(&again, text, "again", &failure) || memcmp(&again, access, sizeof again) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct access access;
    struct failure failure = FAILURE_INIT;
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    if (access_parse(&access, text, "input", &failure))
        access_check(&access);
    else if (failure.code != FAILURE_MISMATCH || failure.text[0] == '\0')
        abort();
    free(text);
    return 0;
}
