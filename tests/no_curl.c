/* libcurl as HDF5 links it, to read S3, which no test does (tests/no_curl.cmake). */
#include <stdlib.h>

#define NOT_HERE(name)                                                                             \
    void name(void);                                                                               \
    void name(void)                                                                                \
    {                                                                                              \
        abort();                                                                                   \
    }

NOT_HERE(curl_easy_cleanup)
NOT_HERE(curl_easy_init)
NOT_HERE(curl_easy_perform)
NOT_HERE(curl_easy_setopt)
NOT_HERE(curl_global_cleanup)
NOT_HERE(curl_global_init)
NOT_HERE(curl_slist_append)
NOT_HERE(curl_slist_free_all)
