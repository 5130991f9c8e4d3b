#include "planner/report/html/page.h"

#include <string.h>

#include "planner/report/html/embedded.h"

static void embedded_add(FILE *stream, const struct embedded *embedded)
{
    fwrite(embedded->bytes, 1, embedded->length, stream);
}

/* Writes plain text as HTML. */
static void plain_add(FILE *stream, const char *plain)
{
    for (size_t run = 0; *plain; plain += run) {
        run = strcspn(plain, "<>&\"");
        fwrite(plain, 1, run, stream);
        if (plain[run])
            fprintf(stream, "&#%d;", plain[run++]);
    }
}

/* Writes JSON within a script element; "</script" in it would end the element, and is escaped. */
static void json_add(FILE *stream, const char *json)
{
    for (size_t run = 0; *json; json += run) {
        run = strcspn(json, "<");
        fwrite(json, 1, run, stream);
        if (json[run]) {
            fputs("\\u003c", stream);
            run++;
        }
    }
}

static void data_add(FILE *stream, const struct page *page)
{
    fputs("{", stream);
    for (size_t k = 0; k < page->part_count; k++) {
        fprintf(stream, "%s\n\"%s\": ", k > 0 ? "," : "", page->parts[k].key);
        json_add(stream, page->parts[k].json ? page->parts[k].json : "null");
    }
    fputs("}\n", stream);
}

/* Writes the contents of a place of the page. */
static void place_fill(FILE *stream, const struct page *page, char place)
{
    if (place == 't')
        plain_add(stream, page->title);
    else if (place == 'p' && page->text)
        plain_add(stream, page->text);
    else if (place == 'd')
        data_add(stream, page);
    else if (place == 'c')
        embedded_add(stream, &embedded_style);
    else if (place == 'l')
        embedded_add(stream, &embedded_library);
    else if (place == 'n')
        embedded_add(stream, &embedded_notice);
    else if (place == 's')
        embedded_add(stream, &embedded_script);
}

/* Places are {{title}}, {{plain}}, {{data}}, {{css}}, {{library}}, {{notice}} and {{script}}. */
bool page_write(const struct page *page, FILE *stream)
{
    const char *at = (const char *)embedded_page.bytes, *end = at + embedded_page.length;
    while (at < end) {
        const char *place = memchr(at, '{', (size_t)(end - at));
        if (!place)
            place = end;
        fwrite(at, 1, (size_t)(place - at), stream);
        at = place;
        if (at == end)
            break;
        place_fill(stream, page, at[2]);
        at = memchr(at, '\n', (size_t)(end - at));
    }
    return !ferror(stream);
}
