/* Fuzz target: any bytes are a profile that prints to itself, or are refused with a sentence. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/profile_json.h"
#include "planner/model/platform.h"
#include "planner/model/profile.h"
#include "tests/fuzz/target.h"

static void profile_again(const struct profile *profile)
{
    struct profile again;
    struct platform platform;
    struct failure failure = FAILURE_INIT;
    char *text = profile_print(profile);
    if (!text || !profile_parse(&again, text, strlen(text), "again", &failure))
        abort();
    char *twice = profile_print(&again);
    if (!twice || strcmp(text, twice) != 0)
        abort();
    for (size_t k = 0; k < again.setting_count; k++) {
        if (!platform_init(&platform, &again.settings[k], 0, &failure))
            abort();
        platform_release(&platform);
    }
    free(text);
    free(twice);
    profile_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct profile profile;
    struct failure failure = FAILURE_INIT;
    if (profile_parse(&profile, (const char *)data, size, "input", &failure)) {
        profile_again(&profile);
        profile_release(&profile);
    } else if (failure.code == FAILURE_NONE || failure.text[0] == '\0') {
        abort();
    }
    return 0;
}
