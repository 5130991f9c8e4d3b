/* Columns of lines, and placeholders for them and for parts of files' names. */
#include "tests/checks.h"

#include <stdio.h>

#include "kernel/command/columns.h"
#include "kernel/command/template.h"
#include "tests/kernel/random.h"

/* The words that a template makes of a line, each in brackets; or why it is refused. */
static const char *expand(const char *text, const struct columns *columns, const char *line)
{
    static char printed[4096], words[4096], why[TEMPLATE_WHY_SIZE];
    struct template template;
    const char *refused = template_parse(&template, text, NULL, columns);
    if (refused) {
        snprintf(why, sizeof why, "%s", refused);
        return why;
    }
    const size_t size = template_print(&template, line, strlen(line), 7, words);
    assert_true(size <= template_size_most(&template, strlen(line)));
    const char *at = words;
    int used = 0;
    for (int i = 0; i < template.words; i++, at += strlen(at) + 1)
        used += snprintf(printed + used, sizeof printed - (size_t)used, "[%s]", at);
    template_release(&template);
    return printed;
}

/* With names from `header`, unless it is NULL. */
static void columns_make(struct columns *columns, enum columns_format format, const char *header)
{
    char why[COLUMNS_WHY_SIZE] = "";
    assert_null(columns_init(columns, format, NULL, NULL));
    if (header)
        assert_true(columns_name(columns, header, strlen(header), why));
    assert_string_equal(why, "");
}

/* Equal to the output of GNU parallel 20221122. */
static void parts_of_names(void **state)
{
    (void)state;
    static const char *const rows[][5] = {
        /* line, {.}, {/}, {//}, {/.} */
        {"dir/sub/file.tar.gz", "dir/sub/file.tar", "file.tar.gz", "dir/sub", "file.tar"},
        {"file", "file", "file", ".", "file"},
        {"/file.c", "/file", "file.c", "/", "file"},
        {"dir.d/file", "dir.d/file", "file", "dir.d", "file"},
        {"dir/.rc", "dir/", ".rc", "dir", ""},
        {"a.", "a.", "a.", ".", "a."},
        {"dir/", "dir/", "", ".", ""},
        {"a//b", "a//b", "b", "a", "b"},
        {"/", "/", "", "/", ""},
        {"", "", "", ".", ""},
    };
    struct columns columns;
    columns_make(&columns, COLUMNS_TEXT, NULL);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char wanted[200], pair[100];
        snprintf(wanted, sizeof wanted, "[p][%s][%s][%s][%s]", rows[i][1], rows[i][2], rows[i][3],
                 rows[i][4]);
        assert_string_equal(expand("p {.} {/} {//} {/.}", &columns, rows[i][0]), wanted);
        snprintf(pair, sizeof pair, "x\t%s", rows[i][0]);
        assert_string_equal(expand("p {2.} {2/} {2//} {2/.}", &columns, pair), wanted);
    }
    columns_release(&columns);
}

static void columns_by_name(void **state)
{
    (void)state;
    struct columns columns;
    columns_make(&columns, COLUMNS_CSV, "\xef\xbb\xbfid,\"full name\",file,1");
    static const char line[] = "7,\"Doe, \"\"J\"\"\",in/a.png,last";
    assert_string_equal(expand("p {id} {full name} {file/.} {2} {1}", &columns, line),
                        "[p][7][Doe, \"J\"][a][Doe, \"J\"][last]");
    assert_string_equal(expand("p {{id}} {} {#}", &columns, "a,b"), "[p][{id}][a,b][7]");
    assert_string_equal(expand("p '${id}' '${1}'", &columns, line), "[p][${id}][$last]");
    assert_string_equal(expand("p {naem}", &columns, line),
                        "has {naem}, which is no place for a line: no column is called that, such "
                        "as {id} is; {{naem}} is a text in braces");
    assert_string_equal(expand("p {fille}", &columns, line),
                        "has {fille}, which is no place for a line: did you mean {file}?; "
                        "{{fille}} is a text in braces");
    columns_release(&columns);
}

static void words_in_braces(void **state)
{
    (void)state;
    struct columns columns;
    columns_make(&columns, COLUMNS_TEXT, NULL);
    static const char *const text[] = {"awk '{print $1}'",
                                       "p {a,b}",
                                       "p '{\"a\":1}'",
                                       "p {a b}",
                                       "p {a;b}",
                                       "echo ${x}",
                                       "echo \"${x:-y}\"",
                                       "p '${x}'",
                                       "p {{x}} {{}}",
                                       "p { x }",
                                       "p {",
                                       "p }",
                                       "p {\n}"};
    for (size_t i = 0; i < COUNT_OF(text); i++) {
        struct template template;
        assert_null(template_parse(&template, text[i], NULL, &columns));
        assert_false(template.places);
        template_release(&template);
    }
    static const char *const refused[] = {
        "p {x}", "awk '{print}'", "p {1..5}", "p {-1}", "p {..}", "p {%}", "p \xc3\xa4{\xc3\xa4}"};
    for (size_t i = 0; i < COUNT_OF(refused); i++)
        assert_non_null(strstr(expand(refused[i], &columns, "l"), "is no place for a line: "));
    assert_string_equal(expand("p {name}", &columns, "l"),
                        "has {name}, which is no place for a line: it is neither {}, {#}, {1}, "
                        "{.}, {/}, {//}, {/.} nor, without --header yes, a column's name; {{name}} "
                        "is a text in braces");
    columns_release(&columns);
}

/* Each followed by a line's end; or why there are none. */
static void assert_words(const char *text, const char *wanted)
{
    const char *why;
    size_t size = 0;
    int count = 0;
    char *words = template_words(text, &size, &count, &why);
    for (size_t i = 0; i < size; i++)
        words[i] = words[i] ? words[i] : '\n';
    if (words)
        words[size] = '\0';
    assert_string_equal(words ? words : why, wanted);
    free(words);
}

static void words_before_the_program(void **state)
{
    (void)state;
    struct columns columns;
    columns_make(&columns, COLUMNS_TEXT, NULL);
    static const char *const rows[][2] = {
        {"prog {}", "[apptainer][exec][my image.sif][prog][a b]"},
        {"prog {} | wc", "[apptainer][exec][my image.sif][/bin/sh][-c][prog \"${1}\" | wc][sh][a "
                         "b]"},
        {"cd {}", "[apptainer][exec][my image.sif][/bin/sh][-c][cd \"${1}\"][sh][a b]"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct template template;
        char words[200], printed[200];
        int used = 0;
        assert_null(
            template_parse(&template, rows[i][0], "apptainer exec 'my image.sif'", &columns));
        assert_true(template_print(&template, "a b", 3, 1, words) <=
                    template_size_most(&template, 3));
        const char *at = words;
        for (int k = 0; k < template.words; k++, at += strlen(at) + 1)
            used += snprintf(printed + used, sizeof printed - (size_t)used, "[%s]", at);
        assert_string_equal(printed, rows[i][1]);
        assert_true(template_program(&template, words, sizeof words));
        assert_string_equal(words, "apptainer");
        template_release(&template);
    }
    assert_words("nice -n '5 6'", "nice\n-n\n5 6\n");
    assert_words(" ", "is empty");
    assert_words("a | b", "needs a shell, which only --command can have");
    assert_words("a {}", "has a place for a line, which only --command can have");
    assert_words("a {x}", "has a place for a line, which only --command can have");
    columns_release(&columns);
}

static void which_format(void **state)
{
    (void)state;
    static const struct {
        enum columns_format format;
        const char *separator, *input;
        char wanted; /* j: JSON */
    } rows[] = {{COLUMNS_AUTO, NULL, "a.csv", ','},      {COLUMNS_AUTO, NULL, "a.csv.gz", ','},
                {COLUMNS_AUTO, NULL, "a.tsv.zst", '\t'}, {COLUMNS_AUTO, NULL, "a.txt", '\t'},
                {COLUMNS_AUTO, NULL, "a.jsonl", 'j'},    {COLUMNS_AUTO, NULL, "a.ndjson.gz", 'j'},
                {COLUMNS_AUTO, ";", "a.jsonl", ';'},     {COLUMNS_AUTO, "space", "a.csv", ' '},
                {COLUMNS_CSV, NULL, "a.txt", ','},       {COLUMNS_CSV, "semicolon", "a", ';'},
                {COLUMNS_TEXT, NULL, "a.csv", '\t'},     {COLUMNS_JSON, NULL, NULL, 'j'},
                {COLUMNS_AUTO, "\\t", NULL, '\t'},       {COLUMNS_AUTO, NULL, ".csv", '\t'}};
    struct columns columns;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_null(columns_init(&columns, rows[i].format, rows[i].separator, rows[i].input));
        assert_int_equal(columns.json ? 'j' : columns.separator, rows[i].wanted);
        assert_int_equal(columns.quoted, rows[i].wanted != '\t' && rows[i].wanted != 'j');
    }
    assert_string_equal(columns_init(&columns, COLUMNS_AUTO, "ab", NULL),
                        "must be one character, or tab, comma, semicolon, space or pipe");
    assert_string_equal(columns_init(&columns, COLUMNS_JSON, ",", NULL),
                        "is for separated fields, and lines are JSON objects");
}

static void quotes_that_are_wrong(void **state)
{
    (void)state;
    static const char *const good[] = {"",        ",", "\"\"", "\"a\",b", "\"a\"\"\",\"\"\"\"",
                                       "\"a\nb\""};
    static const char *const bad[] = {"\"", "a\"", "\"a\"b", "5\" disk,x", "\"a,b", "\"\"\""};
    struct columns columns;
    char why[COLUMNS_WHY_SIZE];
    columns_make(&columns, COLUMNS_CSV, NULL);
    for (size_t i = 0; i < COUNT_OF(good); i++)
        assert_true(columns_check(&columns, good[i], strlen(good[i]), why));
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_false(columns_check(&columns, bad[i], strlen(bad[i]), why));
        assert_non_null(strstr(why, "(RFC 4180)"));
    }
    assert_false(columns_name(&columns, "a,b,a", 5, why));
    assert_string_equal(why, "names 'a' twice");
    columns_release(&columns);
}

static void objects(void **state)
{
    (void)state;
    static const char first[] = "{\"name\":\"x\",\"at\":{\"x\":1,\"y\":[2]},\"a.b\":0}";
    struct columns columns;
    char why[COLUMNS_WHY_SIZE];
    columns_make(&columns, COLUMNS_JSON, first);
    assert_int_equal(columns.name_count, 5);
    assert_string_equal(expand("p {name} {at.x} {at} {a.b}", &columns, first),
                        "[p][x][1][{\"x\":1,\"y\":[2]}][0]");
    assert_string_equal(
        expand("p {name/.} {at.y}", &columns,
               "{\"name\":\"d/f.png\",\"at\":{\"y\":\"\\u00e4\\n\\\"q\\\"\"},\"more\":1}"),
        "[p][f][\xc3\xa4\n\"q\"]");
    assert_string_equal(expand("p {name} {at.x}", &columns, "{\"name\":null,\"at\":{\"x\":1.5}}"),
                        "[p][null][1.5]");
    struct template template;
    assert_null(template_parse(&template, "p {name} {at.x}", NULL, &columns));
    assert_int_equal(template_missing(&template, first, strlen(first)), 0);
    assert_string_equal(
        columns_at(&columns, template_missing(&template, "{\"name\":1,\"at\":2}", 17)), "at.x");
    template_release(&template);
    assert_false(columns_check(&columns, "[1]", 3, why));
    assert_string_equal(why, "is no JSON object: it is another kind of value");
    assert_false(columns_check(&columns, "{\"a\":}", 6, why));
    assert_non_null(strstr(why, "is no JSON object: "));
    columns_release(&columns);
}

/* Written as RFC 4180 has it and read again; what does not need quotes may have some. */
static void csv_written_and_read(void **state)
{
    (void)state;
    struct random random = {20261123};
    print_message("seed 20261123\n");
    for (int trial = 0; trial < 5000; trial++) {
        enum { FIELDS = 4 };
        char fields[FIELDS][12], line[200], value[200];
        size_t used = 0, size;
        for (int i = 0; i < FIELDS; i++) {
            const int64_t length = random_between(&random, 0, 11);
            bool quoted = random_between(&random, 0, 1) == 1;
            for (int64_t k = 0; k < length; k++)
                fields[i][k] = "ab ,\"\n"[random_between(&random, 0, 5)];
            fields[i][length] = '\0';
            quoted |= strpbrk(fields[i], ",\"\n") != NULL;
            used += (size_t)sprintf(line + used, "%s%s", i > 0 ? "," : "", quoted ? "\"" : "");
            for (const char *at = fields[i]; *at; at++)
                used += (size_t)sprintf(line + used, *at == '"' ? "\"\"" : "%c", *at);
            used += (size_t)sprintf(line + used, "%s", quoted ? "\"" : "");
        }
        struct columns columns;
        char why[COLUMNS_WHY_SIZE];
        columns_make(&columns, COLUMNS_CSV, NULL);
        assert_true(columns_check(&columns, line, used, why));
        assert_int_equal(columns_count(&columns, line, used), FIELDS);
        for (int i = 0; i < FIELDS; i++) {
            assert_true(columns_value(&columns, line, used, i + 1, value, &size));
            value[size] = '\0';
            assert_string_equal(value, fields[i]);
        }
        assert_false(columns_value(&columns, line, used, FIELDS + 1, value, &size));
        assert_false(columns_value(&columns, line, used, 0, value, &size));
        columns_release(&columns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_names),  cmocka_unit_test(columns_by_name),
        cmocka_unit_test(words_in_braces), cmocka_unit_test(words_before_the_program),
        cmocka_unit_test(which_format),    cmocka_unit_test(quotes_that_are_wrong),
        cmocka_unit_test(objects),         cmocka_unit_test(csv_written_and_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
