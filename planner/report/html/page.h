/*
 * A page of one file: data as JSON, and the style and the script that show them. It asks nothing of
 * any other place, so it can be mailed, and opened in ten years.
 *
 * Whatever the data say stays data: '<' is written as \u003c in JSON and as an entity in text, and
 * the script builds the page from text nodes.
 */
#ifndef PLANNER_REPORT_HTML_PAGE_H
#define PLANNER_REPORT_HTML_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* One member of the data; both borrowed. */
struct page_part {
    const char *key;
    const char *json; /* one value; NULL: null */
};

struct page {
    const char *title; /* borrowed; what the browser's tab says, in plain text */
    const char *text;  /* borrowed; for readers without JavaScript, in plain text; may be NULL */
    const struct page_part *parts; /* borrowed */
    size_t part_count;
};

/* Piece by piece: it may be long. False: it cannot be written, as errno says. */
bool page_write(const struct page *page, FILE *stream);

#endif
