/* Every operation's probes and fitted line with its standard error, and on top what the run took. */

const FITTED = ['envelope', 'send', 'link', 'receive', 'compute', 'output', 'request', 'answer'];
const CURVE_POINTS = 17, CLASSES_MOST = 4;
const CLASS_DASHES = [undefined, [6, 3], [2, 3], [8, 3, 2, 3]], DASH_WORDS = ['solid', 'dashed', 'dotted', 'dashed and dotted'];

/* [{cost, least, greatest, name}] of an operation: one for every window and class of workers. */
function fitsOf(setting, operation) {
    return setting.windows.flatMap((window, k) => {
        const [least, greatest] = window.tasks;
        if (window[operation])
            return [{ cost: window[operation], least, greatest, kind: 0, name: 'master' }];
        return window.workers.slice(0, CLASSES_MOST).map((worker, kind) => [worker, kind]).filter(([worker]) => worker[operation]).map(
            ([worker, kind]) => ({ cost: worker[operation], least, greatest, kind,
            name: worker.name ?? (window.workers.length > 1 ? `class ${kind + 1}` : 'workers') }));
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

/* ---- what probes and the run took ---- */

function quantile(ascending, share) {
    return ascending[Math.min(ascending.length - 1, Math.floor(share * ascending.length))];
}

/* [{tasks, count, low, median, high, seconds}] of timings {tasks, seconds}, by package size; seconds ascend. */
function bySize(timings) {
    const groups = new Map();
    for (const { tasks, seconds } of timings) {
        if (!groups.has(tasks))
            groups.set(tasks, []);
        groups.get(tasks).push(seconds);
    }
    return [...groups.entries()].sort((a, b) => a[0] - b[0]).map(([tasks, seconds]) => {
        seconds.sort((a, b) => a - b);
        return { tasks, count: seconds.length, seconds, low: quantile(seconds, 0.05), median: quantile(seconds, 0.5),
            high: quantile(seconds, 0.95) };
    });
}

/* The timings of those rows of columns that are wanted. */
function timingsOf(columns, wanted) {
    const timings = [];
    for (let k = 0; k < (columns?.tasks.length ?? 0); k++)
        if (columns.tasks[k] > 0 && wanted(k))
            timings.push({ tasks: columns.tasks[k], seconds: columns.length_ns[k] / 1e9 });
    return timings;
}

function takenBy(events, operation) {
    const columns = events?.measured, code = events?.operations.indexOf(operation);
    return bySize(timingsOf(columns, (k) => columns.operation[k] === code && columns.cause[k] < 0));
}

/* Those that the fit is from: of warm workers, and of links those that nothing else waited for, of all others those of
 * busy workers; as long as there are such. */
function probedBy(probes, setting, operation) {
    const code = probes?.operations.indexOf(operation), either = operation === 'request' || operation === 'answer';
    const waited = operation === 'link' ? 1 : 0;
    const all = (k) => probes.operation[k] === code && probes.setting[k] === setting;
    const warm = (k) => all(k) && !probes.cold[k];
    const best = (k) => warm(k) && (either || probes.waited[k] === waited);
    return bySize([best, warm, all].map((wanted) => timingsOf(probes, wanted)).find((timings) => timings.length > 0) ?? []);
}

/* ---- one chart ---- */

/* Sizes at which a window's line is drawn: evenly on a logarithmic axis. */
function curveSizes(fit) {
    const sizes = Array.from({ length: CURVE_POINTS }, (_, k) =>
        Math.round(fit.least * (fit.greatest / fit.least) ** (k / (CURVE_POINTS - 1))));
    return [...new Set(sizes)];
}

function sizesOf(fits, ...timed) {
    return [...new Set([...fits.flatMap(curveSizes), ...timed.flat().map((size) => size.tasks)])].sort((a, b) => a - b);
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

/* One dot for every timing, so faint that many of them show where they crowd. */
function probesPaint(u, probed) {
    const ratio = window.devicePixelRatio || 1, width = 3 * ratio;
    plotClip(u);
    u.ctx.fillStyle = colours.get('soft');
    u.ctx.globalAlpha = 0.3;
    for (const { tasks, seconds } of probed) {
        const x = u.valToPos(tasks, 'x', true) - width / 2;
        seconds.filter((value) => value > 0).forEach((value) =>
            u.ctx.fillRect(x, u.valToPos(value, 'y', true) - width / 2, width, width));
    }
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

function sizeWords(before, sizes, tasks, of) {
    const size = sizes.find((one) => one.tasks === tasks);
    return size ? `, ${before} ${words.seconds(size.median)} (${words.seconds(size.low)} to ${words.seconds(size.high)}, ${
        words.count(size.count)} ${of})` : '';
}

function calibrationWords(fits, probed, taken, tasks) {
    const here = fits.filter((one) => one.least <= tasks && tasks <= one.greatest);
    const kinds = new Map(here.map((fit) => [fit.kind, fit]));
    const line = [...kinds.values()].map((fit) => `, ${kinds.size > 1 ? `${fit.name} ` : ''}fitted ${
        words.seconds(costAt(fit.cost, tasks))} ± ${words.seconds(errorAt(fit.cost, tasks))}`).join('');
    return `${words.count(tasks)} core tasks${line}${sizeWords('probed', probed, tasks, 'timings')}${
        sizeWords('in the run', taken, tasks, 'packages')}`;
}

/* Nothing is drawn of them, but the axis has room for them. */
function rangeSeries(x, probed) {
    const bySizes = new Map(probed.map((size) => [size.tasks, size.seconds]));
    const edge = (at) => ({ hidden: true, values: x.map((tasks) => positive(bySizes.get(tasks)?.filter((value) => value > 0).at(at) ?? 0)) });
    return probed.length > 0 ? [edge(0), edge(-1)] : [];
}

function calibrationChart(operation, fits, probed, taken) {
    const x = sizesOf(fits, probed, taken);
    const line = (fit) => ({ colour: operation, dash: CLASS_DASHES[fit.kind], values: x.map((tasks) =>
        (tasks >= fit.least && tasks <= fit.greatest ? positive(costAt(fit.cost, tasks)) : null)) });
    const points = { colour: 'bad', pointsOnly: true, values: x.map((tasks) =>
        positive(taken.find((size) => size.tasks === tasks)?.median ?? 0)) };
    return el('div', null, el('h3', null, swatch(operation), operation), lineChart({
        label: `${words.capital(operation)} by package size`, height: 220, x, log: true, xLabel: 'core tasks in a package',
        say: (k) => calibrationWords(fits, probed, taken, x[k]),
        series: [...fits.map(line), ...rangeSeries(x, probed), ...(taken.length > 0 ? [points] : [])],
        paint(u) {
            bandsPaint(u, fits);
            probesPaint(u, probed);
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

function scoreWords({ score }) {
    return score ? ` Packages held out from the fit are predicted to ${words.percent(score.held_out)}; two timings of one package differ by ${
        words.percent(score.noise)}.` : '';
}

/* Which class of workers has which line. */
function classWords(setting) {
    const classes = setting.windows[0].workers;
    if (classes.length < 2)
        return '';
    const shown = classes.slice(0, CLASSES_MOST).map((worker, kind) => `${DASH_WORDS[kind]} ${worker.name ?? `class ${kind + 1}`}`);
    return ` Of workers: ${shown.join(', ')}${classes.length > CLASSES_MOST ? `, and ${words.count(classes.length - CLASSES_MOST)} classes more` : ''}.`;
}

function calibrationNote(setting, probes, taken) {
    const dots = probes ? ` Grey dots are single probes${probes.drawn < probes.timings ? `, ${words.count(probes.drawn)} of ${
        words.count(probes.timings)}` : ''}.` : '';
    const run = taken ? ' Red dots are the run’s medians, with the 5th to the 95th percentile.' : '';
    return `Lines are the profile’s fits over their windows, shades 95 % of their standard errors.${classWords(setting)}${dots}${run}${scoreWords(setting)}`;
}

/* The charts of one setting, and its numbers. */
function calibrationParts(data, index) {
    const setting = data.profile.settings[index], events = index === data.setting ? data.events : null;
    const charts = FITTED.map((operation) => [operation, fitsOf(setting, operation).filter((fit) => fitted(fit.cost)),
        probedBy(data.probes, index, operation), takenBy(events, operation)]).filter(([, fits]) => fits.length > 0);
    return [el('div', { class: 'multiples' }, ...charts.map((chart) => calibrationChart(...chart))), costsTable(setting)];
}

/* Of a run, and of a plan, folded: they are the page's own subject after calibrating alone. */
function calibrationSection(data) {
    const setting = data.profile.settings[data.setting], note = calibrationNote(setting, data.probes, data.events?.measured);
    const parts = () => calibrationParts(data, data.setting);
    return data.told === undefined ? section('calibration', 'Calibration', null, folded('Every operation’s fitted line, with what was measured',
        () => [el('p', { class: 'soft' }, words.bound(note)), ...parts()])) : section('calibration', 'Calibration', note, ...parts());
}

/* ---- the page of a calibration alone ---- */

/* What tells a setting from the others. */
function settingName(setting, index) {
    const own = [setting.block === undefined ? null : `block ${setting.block}`, setting.threads ? `${setting.threads} threads` : null,
        ...Object.entries(setting.parameters ?? {}).map(([name, value]) => `${name} ${value}`)].filter(Boolean);
    return `Setting ${index + 1}${own.length > 0 ? `: ${own.join(', ')}` : ''}`;
}

function settingsSection(data) {
    const { settings } = data.profile, others = settings.map((setting, k) => k).filter((k) => k !== data.setting);
    return section('settings', 'Other settings', `A plan for this input would take ${
        settingName(settings[data.setting], data.setting).toLowerCase()}, which is shown above.`, ...others.map((k) =>
        folded(settingName(settings[k], k), () => [el('p', { class: 'soft' }, calibrationNote(settings[k], data.probes, null)),
            ...calibrationParts(data, k)])));
}

function calibrationHeadline(data) {
    const { profile, probes } = data, setting = profile.settings[data.setting];
    const [first, ...rest] = data.told.trim().split('\n'), { windows, score } = setting;
    const workers = windows[0].workers.reduce((sum, worker) => sum + (worker.count ?? 1), 0);
    return [masthead('scow calibrate'), el('h1', null, profile.kernel),
        el('p', { class: 'lead' }, words.bound(words.capital(`${first}.`))),
        ...rest.map((line) => el('p', { class: 'advice' }, words.bound(words.capital(`${line}.`)))),
        el('dl', { class: 'figures' },
            figure('Unknown packages are off by', score ? words.percent(score.held_out) : '–',
                score ? `noise ${words.percent(score.noise)}` : 'too few to say'),
            figure('Timings', words.count(probes.timings), `in ${words.count(profile.settings.length)} setting${
                profile.settings.length === 1 ? '' : 's'}`),
            figure('Package sizes', `${words.count(windows[0].tasks[0])} to ${words.count(windows.at(-1).tasks[1])}`,
                `in ${words.count(windows.length)} window${windows.length === 1 ? '' : 's'}`),
            figure('Workers', words.count(workers), `in ${words.count(windows[0].workers.length)} class${
                windows[0].workers.length === 1 ? '' : 'es'}`))];
}
