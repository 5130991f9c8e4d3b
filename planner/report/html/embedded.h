/* Files that the build puts into the program, so that a page needs nothing beside it. */
#ifndef PLANNER_REPORT_HTML_EMBEDDED_H
#define PLANNER_REPORT_HTML_EMBEDDED_H

#include <stddef.h>

struct embedded {
    const unsigned char *bytes;
    size_t length;
};

/* The page with places for the rest; its style, with that of the chart library; the library and its
 * licence; and the script. */
extern const struct embedded embedded_page, embedded_style, embedded_library, embedded_notice,
    embedded_script;

#endif
