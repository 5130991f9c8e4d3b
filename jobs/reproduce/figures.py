"""Figures as SVG, from numbers."""

STYLE = ("<style>svg{background:#fff}text{font:12px sans-serif;fill:#222}.title{font-size:14px}.side{text-anchor:end}"
         "rect{stroke:#222;stroke-width:.5}.port{fill:#e8b04b}.work{fill:#7fa8d1}line,polyline{stroke:#222;fill:none}</style>")
COLOURS = ["#1f6fb2", "#b2331f", "#2f7d32", "#7a4fa3"]


def cost(affine, load):
    return affine["latency_s"] + affine["s_per_task"] * load if load > 0 else 0


def period(profile, made, length_s):
    """Figure 4-1: one period, the link above and its workers below, each from when it has its package."""
    workers = profile["settings"][0]["windows"][0]["workers"]
    rows, free_s = [], 0
    for worker, load in zip(made["workers"], made["loads"]):
        link_s = cost(workers[worker]["link"], load)
        work_s = cost(workers[worker]["receive"], load) + cost(workers[worker]["compute"], load)
        rows.append((worker, free_s, link_s, work_s))
        free_s += link_s
    end_s = max(start + link + work for _, start, link, work in rows)

    def x(time_s):
        return 90 + 520 * time_s / end_s

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 {90 + 30 * len(rows)}">', STYLE,
           f'<text class="title" x="90" y="20">Maximal production in T = {length_s:g} s</text>', '<text class="side" x="80" y="55">link</text>']
    for at, (worker, start, link_s, work_s) in enumerate(rows):
        y = 72 + 30 * at
        out += [f'<rect class="port" x="{x(start):.1f}" y="40" width="{x(link_s) - 90:.1f}" height="20"/>',
                f'<rect class="work" x="{x(start + link_s):.1f}" y="{y}" width="{x(work_s) - 90:.1f}" height="20"/>',
                f'<text class="side" x="80" y="{y + 15}">worker {worker + 1}</text>']
    return "\n".join(out + ["</svg>", ""])


def fits(title, rates, window):
    """Figures 6-1 and 6-2: affine costs over a window."""
    top_s = max(latency + rate * window[1] for latency, rate in rates.values())
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 420">', STYLE, f'<text class="title" x="70" y="20">{title}</text>',
           '<polyline points="70,40 70,370 560,370"/>', f'<text class="side" x="64" y="44">{1e3 * top_s:.3g} ms</text>',
           '<text class="side" x="64" y="374">0</text>', f'<text x="60" y="390">{window[0]}</text>', f'<text x="540" y="390">{window[1]} tasks</text>']
    for colour, (name, (latency, rate)) in zip(COLOURS, rates.items()):
        ends = [370 - 330 * (latency + rate * load) / top_s for load in window]
        out += [f'<polyline style="stroke:{colour};stroke-width:2" points="70,{ends[0]:.1f} 560,{ends[1]:.1f}"/>',
                f'<text x="566" y="{ends[1] + 4:.1f}">{name}</text>']
    return "\n".join(out + ["</svg>", ""])
