/* Every operation's fitted line with its standard error, and on top what the run took. */

const FITTED = ['envelope', 'send', 'link', 'receive', 'compute', 'output'];
const CURVE_POINTS = 17, CLASSES_MOST = 4;

/* [{cost, least, greatest, name}] of an operation: one for every window and class of workers. */
function fitsOf(setting, operation) {
    return setting.windows.flatMap((window, k) => {
        const [least, greatest] = window.tasks;
        if (window[operation])
            return [{ cost: window[operation], least, greatest, window: k, name: 'master' }];
        return window.workers.slice(0, CLASSES_MOST).filter((worker) => worker[operation]).map((worker, kind) => ({
            cost: worker[operation], least, greatest, window: k,
            name: worker.name ?? (window.workers.length > 1 ? `class ${kind}` : 'workers') }));
    });
}

function costAt(cost, tasks) {
    return Math.max(0, cost.latency_s + cost.s_per_task * tasks);
}

/* Standard error of the fitted line at a size, from those of latency and rate and their correlation. */
function errorAt(cost, tasks) {
    const latency = cost.stderr_latency_s ?? 0, rate = (cost.stderr ?? 0) * tasks;
    return Math.sqrt(Math.max(0, latency * latency + rate * rate + 2 * (cost.correlation ?? 0) * latency * rate));
}

function fitted(cost) {
    return cost.latency_s !== 0 || cost.s_per_task !== 0;
}

/* ---- what the run took ---- */

function quantile(ascending, share) {
    return ascending[Math.min(ascending.length - 1, Math.floor(share * ascending.length))];
}

/* By package size: [{tasks, count, low, median, high}] in seconds. */
function takenBy(events, operation) {
    const bySize = new Map(), columns = events?.measured, code = events?.operations.indexOf(operation);
    for (let k = 0; k < (columns?.rank.length ?? 0); k++) {
        if (columns.operation[k] !== code || columns.cause[k] >= 0 || columns.tasks[k] < 1)
            continue;
        if (!bySize.has(columns.tasks[k]))
            bySize.set(columns.tasks[k], []);
        bySize.get(columns.tasks[k]).push(columns.length_ns[k] / 1e9);
    }
    return [...bySize.entries()].sort((a, b) => a[0] - b[0]).map(([tasks, seconds]) => {
        seconds.sort((a, b) => a - b);
        return { tasks, count: seconds.length, low: quantile(seconds, 0.05), median: quantile(seconds, 0.5),
            high: quantile(seconds, 0.95) };
    });
}

/* ---- one chart ---- */

/* Sizes at which a window's line is drawn: evenly on a logarithmic axis. */
function curveSizes(fit) {
    const sizes = Array.from({ length: CURVE_POINTS }, (_, k) =>
        Math.round(fit.least * (fit.greatest / fit.least) ** (k / (CURVE_POINTS - 1))));
    return [...new Set(sizes)];
}

function sizesOf(fits, taken) {
    return [...new Set([...fits.flatMap(curveSizes), ...taken.map((size) => size.tasks)])].sort((a, b) => a - b);
}

/* Values on a logarithmic axis are above 0. */
function positive(value) {
    return value > 0 ? value : null;
}

function polygon(u, points, fill) {
    u.ctx.fillStyle = fill;
    u.ctx.beginPath();
    points.forEach(([x, y]) => u.ctx.lineTo(u.valToPos(x, 'x', true), u.valToPos(y, 'y', true)));
    u.ctx.fill();
}

/* Until restore(), nothing is painted beside the plot. */
function plotClip(u) {
    u.ctx.save();
    u.ctx.beginPath();
    u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    u.ctx.clip();
}

function bandsPaint(u, fits) {
    const side = (fit, sign) => curveSizes(fit).map((tasks) =>
        [tasks, Math.max(1e-12, costAt(fit.cost, tasks) + sign * 1.96 * errorAt(fit.cost, tasks))]);
    plotClip(u);
    fits.forEach((fit) => polygon(u, [...side(fit, 1), ...side(fit, -1).reverse()], colours.get('band')));
    u.ctx.restore();
}

/* From the 5th to the 95th percentile of what the run took. */
function whiskersPaint(u, taken) {
    plotClip(u);
    u.ctx.strokeStyle = colours.get('bad');
    u.ctx.lineWidth = window.devicePixelRatio || 1;
    u.ctx.beginPath();
    taken.filter((size) => size.low > 0).forEach((size) => {
        const x = u.valToPos(size.tasks, 'x', true);
        u.ctx.moveTo(x, u.valToPos(size.low, 'y', true));
        u.ctx.lineTo(x, u.valToPos(size.high, 'y', true));
    });
    u.ctx.stroke();
    u.ctx.restore();
}

function calibrationWords(fits, taken, tasks) {
    const fit = fits.find((one) => one.least <= tasks && tasks <= one.greatest);
    const size = taken.find((one) => one.tasks === tasks);
    const line = fit ? `, fitted ${words.seconds(costAt(fit.cost, tasks))} ± ${words.seconds(errorAt(fit.cost, tasks))}` : '';
    const run = size ? `, in the run ${words.seconds(size.median)} (${words.seconds(size.low)} to ${
        words.seconds(size.high)}, ${words.count(size.count)} packages)` : '';
    return `${words.count(tasks)} core tasks${line}${run}`;
}

function calibrationChart(operation, fits, taken) {
    const x = sizesOf(fits, taken);
    const line = (fit) => ({ colour: operation, values: x.map((tasks) =>
        (tasks >= fit.least && tasks <= fit.greatest ? positive(costAt(fit.cost, tasks)) : null)) });
    const points = { colour: 'bad', pointsOnly: true, values: x.map((tasks) =>
        positive(taken.find((size) => size.tasks === tasks)?.median ?? 0)) };
    return el('div', null, el('h3', null, swatch(operation), operation), lineChart({
        label: `${words.capital(operation)} by package size`, height: 220, x, log: true, xLabel: 'core tasks in a package',
        say: (k) => calibrationWords(fits, taken, x[k]),
        series: taken.length > 0 ? [...fits.map(line), points] : fits.map(line),
        paint(u) {
            bandsPaint(u, fits);
            whiskersPaint(u, taken);
        } }));
}

/* ---- the section ---- */

function costRow(operation, fit) {
    const { cost } = fit, error = (value) => (value === undefined ? null : `± ${words.seconds(value)}`);
    return { cells: [operation, fit.name, `${words.count(fit.least)} to ${words.count(fit.greatest)}`,
        words.seconds(cost.latency_s), error(cost.stderr_latency_s), words.seconds(cost.s_per_task), error(cost.stderr),
        cost.r2 === undefined ? null : words.short(cost.r2), cost.n === undefined ? null : words.count(cost.n)] };
}

function costsTable(setting) {
    return folded('The fitted costs in numbers', () => scrolled('Fitted costs', table(null,
        [{ name: 'operation', text: true }, { name: 'of', text: true }, { name: 'core tasks' }, { name: 'latency' },
            { name: 'standard error' }, { name: 'per core task' }, { name: 'standard error' }, { name: 'R²' }, { name: 'timings' }],
        FITTED.flatMap((operation) => fitsOf(setting, operation).map((fit) => costRow(operation, fit))))));
}

function calibrationNote(setting, taken) {
    const score = setting.score ? ` It foretells packages that it has not seen to ${words.percent(setting.score.held_out)}, where ${
        words.percent(setting.score.noise)} is the noise between two timings of one.` : '';
    const run = taken ? ' Dots are the run’s medians, with the 5th to the 95th percentile.' : '';
    return `Lines are the profile’s fits over their windows, shades 95 % of their standard errors.${run}${score}`;
}

function calibrationSection(data) {
    const setting = data.profile.settings[data.setting];
    const charts = FITTED.map((operation) => [operation, fitsOf(setting, operation).filter((fit) => fitted(fit.cost)),
        takenBy(data.events, operation)]).filter(([, fits]) => fits.length > 0);
    return section('calibration', 'Calibration', calibrationNote(setting, data.events?.measured),
        el('div', { class: 'multiples' }, ...charts.map((chart) => calibrationChart(...chart))), costsTable(setting));
}
