/* Line charts (uPlot), painted anew with other colours or another width; the numbers under the cursor stand below. */

/* On a logarithmic axis, lines at powers of ten. */
function decadesOnly(_, splits) {
    return splits.map((value) => (Math.abs(Math.log10(value) % 1) < 1e-6 ? value : null));
}

function lineAxis(label, values, side, decades) {
    return { label, labelSize: 18, labelFont: '11px system-ui, sans-serif', font: '11px system-ui, sans-serif', size: side ? 54 : 30,
        stroke: colours.get('soft'), grid: { stroke: colours.get('line'), width: 1, filter: decades ? decadesOnly : (_, splits) => splits }, ticks: { stroke: colours.get('line'), size: 4 },
        values: (_, ticks) => ticks.map((tick) => (tick === null ? null : values(tick))) };
}

/* Rounds and workers are counted: no tick lies between two of them. */
const WHOLE_STEPS = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

/* Ticks have round numbers: no zeros behind them. */
function tickSeconds(seconds) {
    const size = Math.abs(seconds);
    const [unit, name] = size >= 1 || size === 0 ? [1, 's'] : size >= 0.9999e-3 ? [1e-3, 'ms'] : [1e-6, 'µs'];
    return words.minus(`${Number((seconds / unit).toPrecision(4))} ${name}`);
}

function lineSeries(series) {
    if (series.hidden)
        return { stroke: 'transparent', scale: 'y', paths: () => null, points: { show: false, stroke: 'transparent', fill: 'transparent' } };
    const stroke = colours.get(series.colour);
    return { stroke, width: series.width ?? 1.5, fill: series.fill ? colours.get(series.fill) : undefined, fillTo: 0, dash: series.dash,
        scale: series.scale ?? 'y', spanGaps: true,
        paths: series.pointsOnly ? () => null : series.stepped ? uPlot.paths.stepped({ align: 1 }) : undefined,
        points: { show: Boolean(series.points || series.pointsOnly), size: series.pointsOnly ? 7 : 5, fill: stroke } };
}

/* An area begins at 0, which its axis shows, with a little room beyond the values. */
function areaRange(low, high) {
    const least = Math.min(low ?? 0, 0), most = Math.max(high ?? 0, 0), room = 0.06 * (most - least) || 1e-9;
    return [least < 0 ? least - room : 0, most > 0 ? most + room : 0];
}

/* Of series: colour, width, fill, dash, scale, points, pointsOnly, stepped, hidden (only the axis has room for it).
 * request: label, height, x, series, say(k) -> words, choose(k), xLabel, yLabel, log, yFrom0, share (a right axis of
 * percentages), padRight (room for one, in pixels), logX and logY (one axis
 * alone), fractions (x is no count), paint(u) for more, follow(point): hands over
 * what points at x[k], help: what stands below as long as nothing is pointed at. */
function lineOptions(request, width) {
    const logX = request.log || request.logX, logY = request.log || request.logY;
    const scales = { x: { time: false, distr: logX ? 3 : 1 }, y: { distr: logY ? 3 : 1 } };
    if (logX)
        scales.x.range = (_, low, high) => (low < high ? [low, high] : [low / 2, high * 2]);
    const axes = [lineAxis(request.xLabel, (tick) => words.count(Number(tick.toPrecision(6))), false, logX),
        lineAxis(request.yLabel, tickSeconds, true, logY)];
    if (!logX && !request.fractions)
        axes[0].incrs = WHOLE_STEPS;
    if (request.yFrom0)
        scales.y.range = (_, low, high) => [0, 1.05 * high];
    if (request.series.some((series) => series.fill))
        scales.y.range = (_, low, high) => areaRange(low, high);
    if (request.share) {
        scales.share = { range: [0, 1.05] };
        axes.push({ ...lineAxis(request.share, (share) => `${Math.round(100 * share)} %`, true), scale: 'share', side: 1, grid: { show: false } });
    }
    return { width, height: request.height, scales, axes, padding: [null, request.share ? null : request.padRight ?? null, null, null], series: [{}, ...request.series.map(lineSeries)],
        legend: { show: false }, cursor: { drag: { x: false, y: false }, points: { size: 7 } },
        hooks: { drawAxes: request.paint ? [request.paint] : [] } };
}

function lineKeys(request, box, plot) {
    let at = -1;
    box.addEventListener('keydown', (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (event.key === 'Enter' && at >= 0)
            request.choose?.(at);
        if (!step)
            return;
        event.preventDefault();
        at = Math.max(0, Math.min(at + step, request.x.length - 1));
        plot().setCursor({ left: plot().valToPos(request.x[at], 'x'), top: plot().over.clientHeight / 2 });
    });
}

/* The element; the chart is made when it has a width. */
function lineChart(request) {
    let plot = null;
    const help = request.help ?? '';
    const words_ = el('output', { 'aria-live': 'polite' }, help);
    const box = el('div', { tabindex: 0, role: 'img', 'aria-label': `${request.label}. Arrow keys go from point to point.` });
    const make = () => {
        if (box.clientWidth === 0)
            return;
        plot?.destroy();
        const options = lineOptions(request, box.clientWidth);
        options.hooks.setCursor = [(u) => { words_.textContent = u.cursor.idx >= 0 && u.cursor.idx !== null
            ? request.say(u.cursor.idx) : help; }];
        plot = new uPlot(options, [request.x, ...request.series.map((series) => series.values)], box);
        if (request.choose)
            plot.over.addEventListener('click', () => plot.cursor.idx !== null && request.choose(plot.cursor.idx));
    };
    lineKeys(request, box, () => plot);
    request.follow?.((k) => {
        if (plot && k >= 0)
            plot.setCursor({ left: plot.valToPos(request.x[k], 'x'), top: plot.over.clientHeight / 2 });
    });
    colours.watch(make);
    new ResizeObserver(() => plot ? plot.setSize({ width: box.clientWidth, height: request.height }) : make()).observe(box);
    return el('figure', { class: 'chart' }, box, words_);
}
