/* What the core task `command` is made of, before anything is run: templates, packages of lines,
 * limits, kept output, pieces. */
#include "tests/checks.h"

#include <math.h>
#include <stdio.h>

#include "kernel/command/command.h"
#include "kernel/command/kept.h"
#include "kernel/command/limit.h"
#include "kernel/command/lines.h"
#include "kernel/command/template.h"
#include "tests/kernel/random.h"

/* ---- templates ---- */

static const struct columns tabs = {.separator = '\t'};

/* Words that a template makes of a line, each in brackets; of a shell's, without its first two. */
static const char *expand(const char *text, const char *line, int64_t number)
{
    static char printed[8192], words[4096];
    struct template template;
    const char *why = template_parse(&template, text, NULL, &tabs);
    if (why)
        return why;
    const size_t size = template_print(&template, line, strlen(line), number, words);
    assert_true(size <= template_size_most(&template, strlen(line)));
    const char *at = words;
    int used = 0;
    printed[0] = '\0';
    for (int i = 0; i < template.words; i++, at += strlen(at) + 1) {
        if (template.shell && i < 2)
            assert_string_equal(at, i ? "-c" : "/bin/sh");
        else
            used += snprintf(printed + used, sizeof printed - (size_t)used, "[%s]", at);
    }
    assert_ptr_equal(at, words + size);
    template_release(&template);
    return printed;
}

static void words_without_a_shell(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"prog {}", "a b", "[prog][a b]"},
        {"prog {}", "", "[prog][]"},
        {"  prog\t-x  {} ", "a", "[prog][-x][a]"},
        {"prog --in={}.dat", "a b", "[prog][--in=a b.dat]"},
        {"prog {}{}", "ab", "[prog][abab]"},
        {"prog {#} {#}x", "a", "[prog][42][42x]"},
        {"prog {2} {1}", "one\ttwo words\tthree", "[prog][two words][one]"},
        {"prog {1} {2} {3}", "\t\t", "[prog][][][]"},
        {"prog {3}", "a\t\tlast", "[prog][last]"},
        {"prog '{}' \"{1}\"", "a\tb", "[prog][a\tb][a]"},
        {"prog 'one word' \"two ; words\"''", "a", "[prog][one word][two ; words]"},
        {"prog '' x", "a", "[prog][][x]"},
        {"prog 'it''s' a'|'b", "a", "[prog][its][a|b]"},
        {"'my prog' {}", "a", "[my prog][a]"},
        {"{} x", "a", "[a][x]"},
        {"awk '{print $1}' {a,b} {a:1} {} }{", "l", "[awk][{print $1}][{a,b}][{a:1}][l][}{]"},
        {"prog {{}} {{#}} {{1}}x {{print}} {{}", "l", "[prog][{}][{#}][{1}x][{print}][{l]"},
        {"prog a#b a~b {#}", "l", "[prog][a#b][a~b][42]"},
        {"prog -- {}", "-rf", "[prog][--][-rf]"},
        {"prog {}", "$(touch x) `y` ; & | > < * ? ' \" \\ ~ # !",
         "[prog][$(touch x) `y` ; & | > < * ? ' \" \\ ~ # !]"},
        {"sh -c {}", "echo a | wc", "[sh][-c][echo a | wc]"},
        {"prog", "a", "[prog]"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(expand(rows[i][0], rows[i][1], 42), rows[i][2]);
}

static void words_for_a_shell(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"prog {} | wc", "a b", "[prog \"${1}\" | wc][sh][a b]"},
        {"prog {} {#} {} {2} > {1}.out", "a\tb",
         "[prog \"${1}\" \"${2}\" \"${1}\" \"${3}\" > \"${4}\".out][sh][a\tb][42][b][a]"},
        {"echo \"{} $HOME\"", "x", "[echo \"${1} $HOME\"][sh][x]"},
        {"echo '{}' *", "x", "[echo ''\"${1}\"'' *][sh][x]"},
        {"echo \"$(cat '{}')\" {}", "x", "[echo \"$(cat ''\"${1}\"'')\" \"${1}\"][sh][x]"},
        {"echo `basename {}`", "x", "[echo `basename \"${1}\"`][sh][x]"},
        {"echo \"`basename {}`\"", "x", "[echo \"`basename \"${1}\"`\"][sh][x]"},
        {"echo ${1} ${#} $# {1}", "x", "[echo ${1} ${#} $# \"${1}\"][sh][x]"},
        {"find {} -exec ls \\{} \\;", "d", "[find \"${1}\" -exec ls \\{} \\;][sh][d]"},
        {"cd {} && make", "d", "[cd \"${1}\" && make][sh][d]"},
        {"cd {}", "d", "[cd \"${1}\"][sh][d]"},
        {"X={} prog", "v", "[X=\"${1}\" prog][sh][v]"},
        {"ls ~", "v", "[ls ~][sh]"},
        {"ls *.c # it's {}", "v", "[ls *.c # it's \"${1}\"][sh][v]"},
        {"a\\'b {}", "v", "[a\\'b \"${1}\"][sh][v]"},
        {"echo \"${x:-it's}\" {}", "v", "[echo \"${x:-it's}\" \"${1}\"][sh][v]"},
        {"one\ntwo {}", "v", "[one\ntwo \"${1}\"][sh][v]"},
        {"cat <<E\nit's\nE", "v", "[cat <<E\nit's\nE][sh]"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(expand(rows[i][0], rows[i][1], 42), rows[i][2]);
}

static void templates_that_are_wrong(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"", "is empty"},
        {" \t", "is empty"},
        {"prog 'x", "has a quote or parenthesis that is not closed"},
        {"prog \"{}", "has a quote or parenthesis that is not closed"},
        {"prog $(x", "has a quote or parenthesis that is not closed"},
        {"prog {0}", "asks for {0}: columns are counted from 1"},
        {"prog {10000}", "asks for a column beyond {9999}"},
        {"prog {99999999999999999999999}", "asks for a column beyond {9999}"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(expand(rows[i][0], "line", 1), rows[i][1]);
}

/* Templates of any size: many fields, deep nesting, every reference with a number of its own. */
static void templates_that_are_large(void **state)
{
    (void)state;
    enum { FIELDS = 3000 };
    char *text = malloc(FIELDS * 8), *line = malloc(FIELDS * 2), *words = malloc(1 << 20);
    for (int shell = 0; shell < 2; shell++) {
        char *at = text + sprintf(text, "%s", shell ? "x|" : "x");
        for (int i = 1; i <= FIELDS; i++)
            at += sprintf(at, "{%d}", i);
        for (int i = 0; i < FIELDS; i++)
            memcpy(line + i * 2, "a\t", 2);
        struct template template;
        assert_null(template_parse(&template, text, NULL, &tabs));
        assert_int_equal(template.field_most, FIELDS);
        assert_int_equal(template.words, shell ? FIELDS + 4 : 1);
        const size_t size = template_print(&template, line, FIELDS * 2 - 1, 1, words);
        assert_true(size <= template_size_most(&template, FIELDS * 2 - 1));
        assert_int_equal(size, shell
                                   ? strlen(words) + 1 + 3 + strlen(words + 11) + 1 + 3 + FIELDS * 2
                                   : FIELDS + 2);
        template_release(&template);
    }
    memset(text, '(', 500);
    memset(text + 500, ')', 500);
    text[1000] = '\0';
    struct template template;
    assert_null(template_parse(&template, text, NULL, &tabs));
    assert_true(template.shell);
    template_release(&template);
    free(text);
    free(line);
    free(words);
}

/* Whatever the text and the line: no crash, no more bytes than announced, and as many words. */
static void templates_by_chance(void **state)
{
    (void)state;
    static const char letters[] = "{}{}{}#129'\"'\"$()`\\ \t|<ab*~=;\n";
    struct random random = {20240607};
    print_message("seed 20240607\n");
    for (int trial = 0; trial < 20000; trial++) {
        char text[40], line[20], words[4096];
        const int64_t size = random_between(&random, 0, 39);
        const int64_t length = random_between(&random, 0, 19);
        for (int64_t i = 0; i < size; i++)
            text[i] = letters[random_between(&random, 0, (int64_t)sizeof letters - 2)];
        text[size] = '\0';
        for (int64_t i = 0; i < length; i++)
            line[i] = "a\tb'$"[random_between(&random, 0, 4)];
        struct template template;
        if (template_parse(&template, text, NULL, &tabs) ||
            template.field_most > columns_count(&tabs, line, (size_t)length)) {
            template_release(&template);
            continue;
        }
        const size_t most = template_size_most(&template, (size_t)length);
        const size_t used = template_print(&template, line, (size_t)length, trial + 1, words);
        int count = 0;
        for (size_t i = 0; i < used; i++)
            count += words[i] == '\0';
        assert_true(used <= most);
        assert_int_equal(count, template.words);
        template_release(&template);
    }
}

static void texts_of_commands(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"prog {} {#}", "a b", "prog 'a b' 42"},
        {"prog --in={}.x", "dir/file-1.png", "prog --in=dir/file-1.png.x"},
        {"prog {2} '{1}' \"{1}\" | cat", "it's $1\t", "prog '' 'it'\\''s $1' \"it's \\$1\" | cat"},
        {"prog {3}", "a\tb", "prog ''"},
        {"prog ${1} {}", "", "prog ${1} ''"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[60], cut[7];
        const size_t size = strlen(rows[i][1]);
        const size_t length =
            command_text(rows[i][0], NULL, rows[i][1], size, 42, text, sizeof text);
        assert_string_equal(text, rows[i][2]);
        assert_int_equal(length, strlen(text));
        assert_int_equal(command_text(rows[i][0], NULL, rows[i][1], size, 42, cut, sizeof cut),
                         length);
        assert_memory_equal(cut, text, 6);
        assert_int_equal(cut[6], '\0');
        assert_int_equal(command_text(rows[i][0], NULL, rows[i][1], size, 42, NULL, 0), length);
    }
}

static void the_program(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"prog {}", "prog"}, {"'my prog' {}", "my prog"}, {"{}", NULL},
        {"dir/{1} x", NULL}, {"prog | x", "/bin/sh"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct template template;
        char name[20];
        assert_null(template_parse(&template, rows[i][0], NULL, &tabs));
        const bool fixed = template_program(&template, name, sizeof name);
        assert_int_equal(fixed, rows[i][1] != NULL);
        if (fixed)
            assert_string_equal(name, rows[i][1]);
        template_release(&template);
    }
}

/* ---- lines ---- */

/* The bound is one, holds for every run of lines, grows, and is exact for powers of two. */
static void what_packages_take_at_most(void **state)
{
    (void)state;
    struct random random = {7};
    print_message("seed 7\n");
    for (int trial = 0; trial < 60; trial++) {
        enum { LINES_MOST = 200 };
        int64_t sums[LINES_MOST + 1] = {0};
        const int64_t lines = random_between(&random, 1, LINES_MOST);
        struct line_meter meter;
        assert_true(line_meter_init(&meter));
        for (int64_t i = 0; i < lines; i++) {
            const int64_t size =
                random_between(&random, 0, 9) == 0 ? random_between(&random, 0, 5000) : trial % 7;
            line_meter_add(&meter, (size_t)size);
            sums[i + 1] = sums[i] + size + 5;
        }
        size_t before = 0;
        for (int64_t count = 1; count <= lines; count++) {
            int64_t most = 0;
            for (int64_t i = 0; i + count <= lines; i++)
                if (sums[i + count] - sums[i] > most)
                    most = sums[i + count] - sums[i];
            const size_t bound = line_bounds_most(&meter.bounds, count);
            assert_true(bound >= (size_t)most);
            assert_true(bound >= before);
            assert_true((count & (count - 1)) != 0 || bound == (size_t)most);
            assert_true(bound <= (size_t)sums[lines]);
            before = bound;
        }
        line_meter_release(&meter);
    }
}

/* More lines than the longest window: one long line among short ones does not stand for all. */
static void packages_of_many_lines(void **state)
{
    (void)state;
    enum { LINES = 200000 };
    struct line_meter meter;
    assert_true(line_meter_init(&meter));
    for (int i = 0; i < LINES; i++)
        line_meter_add(&meter, i == 150000 ? 1000000 : 1);
    assert_int_equal(meter.bounds.line_most, 1000000);
    assert_int_equal(line_bounds_most(&meter.bounds, 1), 1000005);
    assert_int_equal(line_bounds_most(&meter.bounds, 65536), 1000005 + 65535 * 6);
    assert_int_equal(line_bounds_most(&meter.bounds, LINES), 1000005 + (LINES - 1) * 6);
    line_meter_release(&meter);
}

static void packages_that_are_damaged(void **state)
{
    (void)state;
    struct {
        uint32_t sizes[2];
        char bytes[8];
    } package = {{3, 2}, "abc\nde\n"};
    struct lines lines;
    assert_true(lines_init(&lines, &package, 15, 2));
    assert_int_equal(lines_size(&lines, 1), 2);
    assert_int_equal(lines_skip(&lines, 1), 4);
    assert_memory_equal(lines.line, "de\n", 3);
    assert_false(lines_init(&lines, &package, 14, 2));
    assert_false(lines_init(&lines, &package, 15, 1));
    assert_false(lines_init(&lines, &package, 4, 2));
    assert_false(lines_init(&lines, &package, 15, -1));
    assert_false(lines_init(&lines, &package, 15, INT64_MAX));
    package.sizes[0] = UINT32_MAX;
    assert_false(lines_init(&lines, &package, 15, 2));
}

/* ---- limits ---- */

static void limits_as_users_write_them(void **state)
{
    (void)state;
    struct limit limit;
    assert_true(limit_parse(&limit, NULL) && limit.value == 0);
    assert_true(limit_parse(&limit, "2.5") && limit.value == 2.5 && !limit.percent);
    assert_true(limit_parse(&limit, "200%") && limit.value == 200 && limit.percent);
    static const char *const wrong[] = {"", "%", "0", "-1", "0%", "nan", "inf", "2 s", "5%%", "x"};
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_false(limit_parse(&limit, wrong[i]));
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void medians_of_times(void **state)
{
    (void)state;
    struct random random = {3};
    print_message("seed 3\n");
    for (int trial = 0; trial < 30; trial++) {
        struct durations durations = {0};
        double times[301];
        const size_t count = (size_t)random_between(&random, 0, 150) * 2 + 1;
        for (size_t i = 0; i < count; i++) {
            times[i] = exp(10 * random_signed(&random));
            durations_add(&durations, times[i]);
        }
        qsort(times, count, sizeof *times, compare);
        assert_true(fabs(log2(durations_median(&durations) / times[count / 2])) <= 0.5 / 16 + 1e-9);
    }
    struct durations extremes = {0};
    durations_add(&extremes, 0);
    durations_add(&extremes, -1);
    durations_add(&extremes, 1e300);
    assert_true(durations_median(&extremes) < 1e-5);
}

static void seconds_that_a_command_may_take(void **state)
{
    (void)state;
    struct durations durations = {0};
    assert_true(isinf(limit_seconds(&(struct limit){0, false}, &durations, 0)));
    assert_true(limit_seconds(&(struct limit){0.25, false}, &durations, 0) == 0.25);
    const struct limit twice = {200, true};
    durations_add(&durations, 10);
    durations_add(&durations, 10);
    assert_true(isinf(limit_seconds(&twice, &durations, 0)));
    durations_add(&durations, 10);
    assert_true(fabs(limit_seconds(&twice, &durations, 0) / 20 - 1) < 0.023);
    for (int i = 0; i < 10; i++)
        durations_add(&durations, 0.001);
    assert_true(limit_seconds(&twice, &durations, 0) == 1);
    assert_true(limit_seconds(&twice, &durations, 7) == 14); /* as all workers have it */
}

static void failures_that_are_too_many(void **state)
{
    (void)state;
    const struct limit none = {0}, three = {3, false}, half = {50, true};
    assert_false(limit_reached(&none, 1000, 1000));
    assert_false(limit_reached(&three, 2, 2));
    assert_true(limit_reached(&three, 3, 1000));
    assert_false(limit_reached(&half, 2, 2));
    assert_false(limit_reached(&half, 3, 7));
    assert_true(limit_reached(&half, 3, 6));
    assert_false(limit_reached(&half, 0, 0));
}

/* ---- output ---- */

static const char *cleaned(const char *bytes, size_t size, bool cut)
{
    static char text[64];
    memset(text, 'X', sizeof text);
    memcpy(text, bytes, size);
    kept_clean(text, size, 32, cut);
    assert_int_equal(text[32], 'X');
    assert_int_equal(strlen(text), strnlen(text, 32));
    return text;
}

static void output_that_is_kept(void **state)
{
    (void)state;
    assert_string_equal(cleaned("", 0, false), "");
    assert_string_equal(cleaned("one\ntwo\n", 8, false), "one\ntwo");
    assert_string_equal(cleaned("one\n\n", 5, false), "one\n");
    assert_string_equal(cleaned("one\n", 4, true), "one\n");
    assert_string_equal(cleaned("a\0b", 3, false), "a?b");
    assert_string_equal(cleaned("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x90\xa2", 11, false),
                        "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x90\xa2");
    assert_string_equal(cleaned("a\xf0\x9f\x90", 4, true), "a");
    assert_string_equal(cleaned("a\xf0\x9f\x90", 4, false), "a???");
    assert_string_equal(cleaned("\xf0\x9fxy", 4, true), "??xy");
    assert_string_equal(cleaned("\xc0\xaf \xed\xa0\x80 \xf5 \xff \x80", 12, true), "?? ??? ? ? ?");
    assert_string_equal(cleaned("\xe0\x80\x80|\xf4\x90\x80\x80|\xf0\x80\x80\x80", 13, false),
                        "???|????|????");
}

static void pieces_read_back(void **state)
{
    (void)state;
    static const char emitted[] = "\1\0\1\0\2\0\0\0ab"
                                  "\2\0\2\1\0\0\0\0"
                                  "\1\0\2\1\1\0\0\0c";
    const size_t size = sizeof emitted - 1;
    struct command_piece piece;
    size_t at = 0;
    assert_true(command_piece_next(emitted, size, &at, &piece));
    assert_int_equal(piece.stream, COMMAND_STDOUT);
    assert_int_equal(piece.attempt, 1);
    assert_int_equal(piece.size, 2);
    assert_memory_equal(piece.bytes, "ab", 2);
    assert_true(command_piece_next(emitted, size, &at, &piece));
    assert_int_equal(piece.stream, COMMAND_STDERR);
    assert_int_equal(piece.attempt, 258);
    assert_int_equal(piece.size, 0);
    assert_true(command_piece_next(emitted, size, &at, &piece));
    assert_int_equal(at, size);
    assert_false(command_piece_next(emitted, size, &at, &piece));
    assert_int_equal(command_attempts(emitted, size), 258);
    assert_int_equal(command_attempts(emitted, 0), 0);
    for (size_t cut = 0; cut < size; cut++) {
        at = 0;
        int count = 0;
        while (command_piece_next(emitted, cut, &at, &piece))
            count++;
        assert_true(at <= cut && count < 3);
    }
    at = 0;
    assert_false(command_piece_next("\3\0\1\0\0\0\0\0", 8, &at, &piece));
    assert_false(command_piece_next("\1\0\1\0\xff\xff\xff\xff", 8, &at, &piece));
    assert_int_equal(at, 0);
}

/* Whatever parts they are read in. */
static void pieces_of_one_stream(void **state)
{
    static const char emitted[] = "\1\0\1\0\4\0\0\0old\n"
                                  "\1\0\2\0\3\0\0\0one"
                                  "\2\0\2\0\2\0\0\0no"
                                  "\1\0\2\0\0\0\0\0"
                                  "\1\0\2\0\4\0\0\0 two";
    const size_t size = sizeof emitted - 1;
    (void)state;
    for (size_t each = 1; each <= size; each++) {
        struct command_filter filter = {.stream = COMMAND_STDOUT, .attempt = 2};
        char text[sizeof emitted] = "";
        size_t used = 0;
        for (size_t from = 0; from < size; from += each) {
            const size_t part_size = size - from < each ? size - from : each;
            const char *part;
            size_t length;
            for (size_t at = 0;
                 command_filter_next(&filter, emitted + from, part_size, &at, &part, &length);) {
                memcpy(text + used, part, length);
                used += length;
            }
        }
        assert_string_equal(text, "one two");
        assert_false(filter.damaged);
    }
}

static void what_is_no_piece(void **state)
{
    (void)state;
    struct command_filter filter = {.stream = COMMAND_STDOUT, .attempt = 1};
    const char *part;
    size_t length, at = 0;
    assert_false(command_filter_next(&filter, "\3\0\1\0\1\0\0\0x", 9, &at, &part, &length));
    assert_true(filter.damaged);
}

static void pieces_as_a_text(void **state)
{
    (void)state;
    static const char emitted[] = "\1\0\1\0\4\0\0\0old\n"
                                  "\2\0\2\0\2\0\0\0e\n"
                                  "\1\0\2\0\3\0\0\0a\0\n"
                                  "\1\0\2\0\2\0\0\0b\n";
    static const char wanted[] = "a?\nb\n--- standard error ---\ne\n";
    char text[60], cut[4];
    const size_t size = sizeof emitted - 1;
    assert_int_equal(command_render(emitted, size, text, sizeof text), strlen(wanted));
    assert_string_equal(text, wanted);
    assert_int_equal(command_render(emitted, size, cut, sizeof cut), strlen(wanted));
    assert_string_equal(cut, "a?\n");
    assert_int_equal(command_render(emitted, size, NULL, 0), strlen(wanted));
    assert_int_equal(command_render(emitted, 12, text, sizeof text), 4);
    assert_string_equal(text, "old\n");
    assert_int_equal(command_render(NULL, 0, text, sizeof text), 0);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_without_a_shell),
        cmocka_unit_test(words_for_a_shell),
        cmocka_unit_test(templates_that_are_wrong),
        cmocka_unit_test(templates_that_are_large),
        cmocka_unit_test(templates_by_chance),
        cmocka_unit_test(texts_of_commands),
        cmocka_unit_test(the_program),
        cmocka_unit_test(what_packages_take_at_most),
        cmocka_unit_test(packages_of_many_lines),
        cmocka_unit_test(packages_that_are_damaged),
        cmocka_unit_test(limits_as_users_write_them),
        cmocka_unit_test(medians_of_times),
        cmocka_unit_test(seconds_that_a_command_may_take),
        cmocka_unit_test(failures_that_are_too_many),
        cmocka_unit_test(output_that_is_kept),
        cmocka_unit_test(pieces_read_back),
        cmocka_unit_test(pieces_of_one_stream),
        cmocka_unit_test(what_is_no_piece),
        cmocka_unit_test(pieces_as_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
