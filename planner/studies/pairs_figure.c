/* Figure 4-2 of the thesis as SVG: R(i, T), the time that the port needs for i workers, over the
 * period T. */
#include <inttypes.h>
#include <math.h>

#include "planner/studies/pairs_table.h"

/* In SVG units. */
enum { WIDTH = 640, HEIGHT = 420, LEFT = 70, RIGHT = 90, TOP = 34, BOTTOM = 52, LINES_MOST = 12 };

/* One window's part of the picture. */
struct panel {
    const struct pairs_window *window;
    const struct ranking *ranking;
    const struct pairs *pairs;
    double longest_s; /* the greatest value on both axes */
    double top;       /* where the panel begins in the picture */
    int64_t workers;  /* workers up to which lines are drawn */
    struct text *text;
};

static double across(double period_s, const struct panel *panel)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * period_s / panel->longest_s;
}

static double down(double port_s, const struct panel *panel)
{
    return panel->top + TOP +
           (HEIGHT - TOP - BOTTOM) * (1 - fmin(fmax(port_s / panel->longest_s, 0), 1));
}

/* Both axes go to just beyond the longest period of a pair, or to a few packages' latencies. */
static double panel_longest(const struct panel *panel)
{
    const struct ranked_worker *first = &panel->ranking->workers[0];
    double longest_s = 4 * fmax(fmax(first->work.latency_s, first->feed.latency_s), 0);
    for (size_t k = 0; k < panel->pairs->count; k++)
        longest_s = fmax(longest_s, 1.15 * panel->pairs->items[k].period_s);
    return longest_s > 0 ? longest_s : 1;
}

static double port_of(const struct pair_line lines[PAIR_LINES], double period_s)
{
    return fmax(lines[PAIR_MASTER].slope * period_s + lines[PAIR_MASTER].intercept_s,
                lines[PAIR_LINKS].slope * period_s + lines[PAIR_LINKS].intercept_s);
}

/* The period at which the lines of master and links cross, where R bends; the panel's end where
 * they do not cross in it. */
static double bend_of(const struct pair_line lines[PAIR_LINES], double longest_s)
{
    const double apart = lines[PAIR_MASTER].slope - lines[PAIR_LINKS].slope;
    const double bend_s =
        fabs(apart) > 0 ? (lines[PAIR_LINKS].intercept_s - lines[PAIR_MASTER].intercept_s) / apart
                        : 0;
    return bend_s > 0 && bend_s < longest_s ? bend_s : longest_s;
}

/* The last period that is drawn: where R leaves the panel. */
static double leave_of(const struct pair_line lines[PAIR_LINES], double from_s, double longest_s)
{
    double leave_s = longest_s;
    for (int k = 0; k < PAIR_LINES; k++)
        if (lines[k].slope > 0)
            leave_s = fmin(leave_s, (longest_s - lines[k].intercept_s) / lines[k].slope);
    return fmax(leave_s, from_s);
}

static void line_draw(const struct panel *panel, int64_t workers)
{
    struct pair_line lines[PAIR_LINES];
    pairs_lines(panel->ranking, workers, lines);
    const double end_s = leave_of(lines, 0, panel->longest_s);
    const double bend_s = fmin(bend_of(lines, panel->longest_s), end_s);
    const double at_s[] = {0, bend_s, end_s};
    text_add(panel->text, "<polyline class=\"port\" points=\"");
    for (int k = 0; k < 3; k++)
        text_add(panel->text, "%s%.1f,%.1f", k > 0 ? " " : "", across(at_s[k], panel),
                 down(port_of(lines, at_s[k]), panel));
    text_add(panel->text, "\"/>\n<text x=\"%.1f\" y=\"%.1f\">%" PRId64 "</text>\n",
             across(end_s, panel) + 4, down(port_of(lines, end_s), panel) + 4, workers);
}

static void pair_draw(const struct panel *panel, const struct pair *pair)
{
    const double x = across(pair->period_s, panel), y = down(pair->period_s, panel);
    text_add(panel->text,
             "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"><title>%" PRId64 " workers: ", x, y,
             pair->workers);
    text_add_seconds(panel->text, pair->period_s);
    text_add(panel->text,
             "</title></circle>\n<line class=\"drop\" x1=\"%.1f\" y1=\"%.1f\" "
             "x2=\"%.1f\" y2=\"%.1f\"/>\n",
             x, y, x, down(0, panel));
}

static bool worker_drawn(const struct panel *panel, int64_t workers)
{
    return panel->workers <= LINES_MOST ||
           workers * LINES_MOST / panel->workers > (workers - 1) * LINES_MOST / panel->workers;
}

static void axes_draw(const struct panel *panel)
{
    struct text *text = panel->text;
    const double x = across(0, panel), end = across(panel->longest_s, panel), y = down(0, panel);
    text_add(text,
             "<text class=\"title\" x=\"%d\" y=\"%.1f\">Packages of %" PRId64 " to %" PRId64
             " core tasks: time of the port for 1, 2, ... workers</text>\n",
             LEFT, panel->top + 18, panel->window->least, panel->window->greatest);
    text_add(text, "<polyline class=\"axis\" points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n", x,
             down(panel->longest_s, panel), x, y, end, y);
    text_add(text, "<line class=\"diagonal\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
             x, y, end, down(panel->longest_s, panel));
    for (int k = 0; k <= 4; k++) {
        const double s = panel->longest_s * k / 4;
        text_add(text, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\">%.3g</text>\n", across(s, panel),
                 y + 16, s);
        text_add(text, "<text class=\"side\" x=\"%.1f\" y=\"%.1f\">%.3g</text>\n", x - 6,
                 down(s, panel) + 4, s);
    }
    text_add(text, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\">period T, seconds</text>\n",
             (x + end) / 2, y + 36);
}

static void panel_draw(struct panel *panel)
{
    const struct pairs *pairs = panel->pairs;
    panel->longest_s = panel_longest(panel);
    panel->workers = pairs->count > 0 ? pairs->items[pairs->count - 1].workers : 1;
    if (panel->ranking->equal || panel->workers < panel->ranking->count)
        panel->workers++; /* one worker more than can be fed: its line never meets the diagonal */
    axes_draw(panel);
    for (int64_t i = 1; i <= panel->workers; i++)
        if (worker_drawn(panel, i))
            line_draw(panel, i);
    for (size_t k = 0; k < pairs->count; k++)
        if (worker_drawn(panel, pairs->items[k].workers))
            pair_draw(panel, &pairs->items[k]);
}

void pairs_table_svg(const struct pairs_table *table, struct text *text)
{
    text_add(text,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %" PRId64 "\">\n<style>"
             "svg{background:#fff}text{font:12px sans-serif;fill:#222}.title{font-size:14px}"
             ".tick{text-anchor:middle}.side{text-anchor:end}line,polyline{fill:none;stroke:#222}"
             ".port{stroke:#1f6fb2;stroke-width:1.5}.diagonal{stroke-dasharray:6 4}"
             ".drop{stroke:#999;stroke-dasharray:2 3}circle{fill:#b2331f}</style>\n",
             (int)WIDTH, table->window_count * HEIGHT);
    for (int64_t w = 0; w < table->window_count; w++) {
        struct panel panel = {.window = &table->windows[w],
                              .ranking = &table->windows[w].orders[0].ranking,
                              .pairs = &table->windows[w].orders[0].pairs,
                              .top = (double)w * HEIGHT,
                              .text = text};
        panel_draw(&panel);
    }
    text_add(text, "</svg>\n");
}
