#include "planner/report/html/page.h"

#include <string.h>

#include "planner/report/html/embedded.h"

static void bytes_add(struct text *text, const char *bytes, size_t length)
{
    text_add(text, "%.*s", (int)length, bytes);
}

static void embedded_add(struct text *text, const struct embedded *embedded)
{
    bytes_add(text, (const char *)embedded->bytes, embedded->length);
}

/* Plain text as HTML. */
static void plain_add(struct text *text, const char *plain)
{
    for (size_t run = 0; *plain; plain += run) {
        run = strcspn(plain, "<>&\"");
        bytes_add(text, plain, run);
        if (plain[run])
            text_add(text, "&#%d;", plain[run++]);
    }
}

/* JSON within a script element, which the first "</script" would end. */
static void json_add(struct text *text, const char *json)
{
    for (size_t run = 0; *json; json += run) {
        run = strcspn(json, "<");
        bytes_add(text, json, run);
        if (json[run]) {
            text_add(text, "\\u003c");
            run++;
        }
    }
}

static void data_add(struct text *text, const struct page *page)
{
    text_add(text, "{");
    for (size_t k = 0; k < page->part_count; k++) {
        text_add(text, "%s\n\"%s\": ", k > 0 ? "," : "", page->parts[k].key);
        json_add(text, page->parts[k].json ? page->parts[k].json : "null");
    }
    text_add(text, "}\n");
}

/* What stands at a place of the page. */
static void place_fill(struct text *text, const struct page *page, char place)
{
    if (place == 't')
        plain_add(text, page->title);
    else if (place == 'p' && page->text)
        plain_add(text, page->text);
    else if (place == 'd')
        data_add(text, page);
    else if (place == 'c')
        embedded_add(text, &embedded_style);
    else if (place == 'l')
        embedded_add(text, &embedded_library);
    else if (place == 'n')
        embedded_add(text, &embedded_notice);
    else if (place == 's')
        embedded_add(text, &embedded_script);
}

/* Places are {{title}}, {{plain}}, {{data}}, {{css}}, {{library}}, {{notice}} and {{script}}. */
char *page_print(const struct page *page, struct failure *failure)
{
    struct text text = TEXT_INIT;
    const char *at = (const char *)embedded_page.bytes, *end = at + embedded_page.length;
    while (at < end) {
        const char *place = memchr(at, '{', (size_t)(end - at));
        if (!place)
            place = end;
        bytes_add(&text, at, (size_t)(place - at));
        at = place;
        if (at == end)
            break;
        place_fill(&text, page, at[2]);
        at = memchr(at, '\n', (size_t)(end - at));
    }
    return text_finish(&text, true, "writing a page", failure);
}
