#include "planner/base/json_text.h"

#include <stdlib.h>
#include <string.h>

/* Adds without printf's formatting, which is slow: documents have up to a million members. */
static void word_add(struct text *text, const char *word)
{
    text_add_bytes(text, word, strlen(word));
}

struct json_text json_open(struct text *text, const char *open, const char *between)
{
    word_add(text, open);
    return (struct json_text){text, between, false};
}

struct json_text json_open_in(struct json_text *outer, const char *key, const char *open,
                              const char *between)
{
    return json_open(json_next(outer, key), open, between);
}

void json_close(struct json_text *json, const char *close)
{
    word_add(json->text, close);
}

struct text *json_next(struct json_text *json, const char *key)
{
    if (json->begun)
        word_add(json->text, json->between);
    json->begun = true;
    if (!key)
        return json->text;
    word_add(json->text, "\"");
    word_add(json->text, key);
    word_add(json->text, "\": ");
    return json->text;
}

void json_number(struct json_text *json, const char *key, double number)
{
    text_add_number(json_next(json, key), number);
}

void json_count(struct json_text *json, const char *key, int64_t count)
{
    text_add_count(json_next(json, key), count);
}

void json_flag(struct json_text *json, const char *key, bool flag)
{
    json_raw(json, key, flag ? "true" : "false");
}

void json_word(struct json_text *json, const char *key, const char *word)
{
    if (word)
        text_add_quoted(json_next(json, key), word);
    else
        json_raw(json, key, NULL);
}

void json_raw(struct json_text *json, const char *key, const char *value)
{
    word_add(json_next(json, key), value ? value : "null");
}

void json_array_join(char **all, char *array)
{
    static const char empty[] = "[]";
    struct text joined = TEXT_INIT;
    if (!array || (*all && strcmp(array, empty) == 0)) {
        free(array);
        return;
    }
    if (*all && strcmp(*all, empty) != 0) {
        text_add(&joined, "%.*s, %s", (int)strlen(*all) - 1, *all, array + 1);
        free(array);
        array = text_take(&joined);
    }
    free(*all);
    *all = array;
}
