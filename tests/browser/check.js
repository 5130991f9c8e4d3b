// check.js FOLDER [PAGE...]: the pages that run.sh made there, looked at in Chromium; screenshots beside them.
// Everything is from disk: a page that asks for anything else fails. Times are printed, not judged.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const folder = resolve(process.argv[2]), wanted = process.argv.slice(3);
// How many sections each must have at least, how many pictures, and what it must say.
const PAGES = { run: [6, 2], many: [6, 0], plan: [4, 0], runs: [3, 0], calibration: [3, 0],
    heavy: [5, 0, 'the heaviest tenth of its core tasks is 55.0\u00a0% of the work; the total is known to 2.0\u00a0%'],
    shared: [4, 0, '0.25 of the bandwidth at calibration, give or take 0.00, ranks 1 to 2'], found: [6, 2, 'worker 1 the least: 0.25 GB/s; planned with 1 GB/s'],
    'assigned-plan': [4, 0, 'assigned on request by fac:30%'], assigned: [6, 0, 'assigned on request, by fac:30%'],
    watched: [6, 0, 'Planned anew at'], lost: [6, 0, 'Lost worker 2 after'], resumed: [4, 0, 'Resumed once'],
    'masters-plan': [3, 0, '3 masters side by side, each with workers'], masters: [5, 0, '3 masters side by side; the first one’s workers ended after'],
    'tree-plan': [3, 0, '2 groups below a master: each has a master of its own'], tree: [5, 0, '2 groups below a master; the first one’s workers'],
    served: [6, 0, 'That workers came and went costs'], returned: [5, 0, 'Resumed once'],
    levels: [5, 0, 'the rest of this page is of level 4'],
    'levels-plan': [4, 0, 'After these there are others, of which nothing is known'], go: [6, 1],
    'strips-plan': [3, 0, 'Planned with 0.50 of the processor at calibration'], strips: [3, 0, 'An iteration took'],
    'strips-lost': [3, 0, 'worker 3 took its place, and all went on from iteration'], failures: [6, 0, '20 core tasks of 200 failed'],
    pareto: [4, 0, 'of which none is both as fast and as cheap'], rows: [6, 1], commands: [6, 0, 'seconds'], staged: [6, 2], eight: [3, 0] };
// Those with the fitted costs of a calibration alone.
const CALIBRATIONS = ['calibration'];
const NARROW = { width: 400, height: 800 };
const GUTTER = 78;

function dataOf(name) {
    const text = readFileSync(join(folder, `${name}.html`), 'utf8');
    return JSON.parse(text.match(/<script type="application\/json" id="data">([^<]*)<\/script>/)[1]);
}

/* A page that has complained of nothing, and asked for nothing but itself and its own pictures. */
async function pageOpen(browser, name, options) {
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options });
    const address = pathToFileURL(join(folder, `${name}.html`)).href;
    page.complaints = [];
    page.on('console', (message) => page.complaints.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => page.complaints.push(`error: ${error.stack}`));
    page.on('request', (request) => request.url() === address || request.url().startsWith('data:')
        || page.complaints.push(`asks for ${request.url()}`));
    await page.goto(address);
    await page.waitForFunction(() => document.querySelectorAll('section').length > 0);
    page.filled = await page.evaluate(() => performance.now());
    await page.waitForTimeout(300);
    return page;
}

/* Has every chart something painted in it? Canvases with one colour have not. */
async function chartsCheck(page, name) {
    const [sections, count, says] = PAGES[name];
    assert.ok(await page.locator('section').count() >= sections, `${name} has its sections`);
    assert.ok((await page.locator('main').innerText()).includes(says ?? ''), `${name} says '${says}'`);
    const empty = await page.evaluate(() => [...document.querySelectorAll('canvas')].filter((canvas) => {
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
        copy.drawImage(canvas, 0, 0);
        const colours = new Uint32Array(copy.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
        return new Set(colours).size < 4;
    }).map((canvas) => canvas.closest('section').id));
    assert.deepEqual(empty, [], `${name}: every canvas is painted`);
    const figures = await page.locator('figure.chart').count();
    assert.equal(await page.locator('figure.chart canvas').count(), figures, `${name}: every figure has its chart`);
    const pictures = await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())));
    assert.equal(pictures.length, count, `${name}: pictures decode`);
}

/* Masters are told from workers, and the waterfall ends where the run did. */
async function mastersCheck(page, name) {
    const { report, plan } = dataOf(name), rows = await page.locator('#masters tbody tr').count();
    const groups = report ? report.masters ?? report.groups : plan.stars ?? plan.children;
    assert.equal(rows, groups.length, `${name}: a row for each master`);
    if (!report)
        return;
    const masters = groups.map((one) => one.rank), workers = report.workers.map((one) => one.worker + 1);
    assert.ok(workers.length > 0 && workers.every((rank) => !masters.includes(rank)), `${name}: no master is among the workers`);
    const own = ['start', 'receive', 'compute', 'output'].map((operation) => report.operations[operation].measured_s);
    const all = own.reduce((a, b) => a + b) + Object.values(report.causes).reduce((sum, both) => sum + both.measured_s, 0);
    assert.ok(Math.abs(all / workers.length - report.measured_s) < 1e-6, `${name}: the mean worker has ${all / workers.length} of ${report.measured_s}`);
    assert.equal(await page.locator('#workers').count(), 0, `${name}: what one master could feed is not its question`);
}

/* Of each worker that joined: when, what it did, and when and why it left. */
async function joinedCheck(page, name) {
    const { joined_workers: workers } = dataOf(name).report;
    const rows = await page.locator('#joined tbody tr').allInnerTexts();
    assert.equal(rows.length, workers.length, `${name}: a row for each worker that joined`);
    for (const [k, worker] of workers.entries()) {
        const gone = worker.lost_s ?? worker.left_s;
        for (const part of [worker.joined_s > 0 ? seconds(1e9 * worker.joined_s) : '0 s', `${worker.tasks}`, ...(gone === undefined ? ['stayed until the end']
            : [seconds(1e9 * gone), `${worker.lost_s === undefined ? 'left' : 'lost'}: ${worker.why}`])])
            assert.ok(rows[k].includes(part), `${name}: '${part}' is in '${rows[k]}'`);
    }
    if (name === 'served')
        assert.deepEqual(workers.map((worker) => [worker.lost_s !== undefined, worker.left_s !== undefined]),
            [[true, false], [false, true], [false, false]]);
}

/* A row for each strip, of the width that it had; the total is the document's; who was lost is listed. */
async function stripsCheck(page, name) {
    const { strips: plan, measured } = dataOf(name), widths = (measured ?? plan).strips.map((strip) => strip.columns);
    const columns = await page.locator('#strips tbody tr td:nth-child(2)').allInnerTexts();
    assert.deepEqual(columns.map(Number), widths, `${name}: columns of each strip`);
    const total = await page.locator('#time tr.total').innerText(), total_s = measured?.total_s ?? plan.predicted.total_s;
    assert.ok(inColumn(total, total_s), `${name}: ${total_s} is in '${total}'`);
    assert.equal(await page.locator('ul[aria-label="Lost workers"] li').count(), measured?.losses?.length ?? 0, `${name}: who was lost`);
}

/* Everything that can be used has a name and is reached by Tab, in order, without a trap. */
async function keysCheck(page, name) {
    const wanted = await page.evaluate(() => [...document.querySelectorAll('a[href], button, select, input, summary, [tabindex="0"]')]
        .filter((node) => node.checkVisibility()).length);
    const reached = [];
    await page.evaluate(() => document.querySelector('.skip').focus());
    for (let step = 0; step <= wanted; step++) {
        if (step > 0)
            await page.keyboard.press('Tab');
        const at = await page.evaluate(() => {
            const node = document.activeElement;
            if (node === document.body)
                return null;
            node.dataset.reached = 'yes';
            return node.getAttribute('aria-label') || node.textContent.trim() || '';
        });
        if (at === null)
            break;
        reached.push(at);
    }
    assert.equal(await page.locator('[data-reached]').count(), wanted, `${name}: Tab reaches everything`);
    assert.ok(reached.every((words) => words.length > 0), `${name}: everything has a name`);
    assert.equal(await page.locator('img:not([alt]), th:not([scope]), canvas[tabindex]:not([aria-label])').count(), 0);
}

/* The longest measured span of an operation, or the longest predicted one. */
function longest(events, operation) {
    const trace = events.measured ? 'measured' : 'predicted', columns = events[trace];
    const code = events.operations.indexOf(operation);
    const places = columns.rank.map((_, k) => k).filter((k) => columns.operation[k] === code);
    return { trace, columns, k: places.reduce((a, b) => (columns.length_ns[b] > columns.length_ns[a] ? b : a)) };
}

function seconds(ns) {
    const [unit, name] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']].find(([least]) => ns >= least);
    return `${(ns / unit).toPrecision(4)} ${name}`;
}

/* Heights in the chart: many rows are lower. */
function bandsOf(events) {
    const ranks = ['measured', 'predicted'].flatMap((one) => events[one]?.rank ?? []);
    const dense = 2 + ranks.reduce((most, rank) => Math.max(most, rank), 0) > 24, both = events.measured && events.predicted;
    return { thin: both ? (dense ? 4 : 6) : 0, thick: dense ? 8 : 13, gap: dense ? 4 : 9 };
}

/* Pointing at a span says what the data say of it. */
async function hoverCheck(page, name) {
    const { events } = dataOf(name), { trace, columns, k } = longest(events, 'compute');
    const canvas = page.locator('.gantt canvas');
    await canvas.scrollIntoViewIfNeeded();
    const box = await canvas.boundingBox();
    const ends = ['measured', 'predicted'].filter((one) => events[one]).flatMap((one) =>
        events[one].start_ns.map((start, at) => start + events[one].length_ns[at]));
    const end = ends.reduce((a, b) => Math.max(a, b));
    const middle = columns.start_ns[k] + columns.length_ns[k] / 2;
    const { thin, thick, gap } = bandsOf(events);
    await page.mouse.move(box.x + GUTTER + middle / end * (box.width - GUTTER),
        box.y + 24 + gap + (1 + columns.rank[k]) * (thin + thick + gap) + thin + thick / 3);
    await page.waitForSelector('.tip:not([hidden])');
    const words = await page.locator('.tip').innerText();
    const wide = columns.length_ns[k] / end * (box.width - GUTTER) >= 3; // else its neighbours are as near
    for (const part of [` · worker ${columns.rank[k]} · ${trace}`, ...(wide
        ? ['Compute', `round ${columns.round[k] + 1}, package ${columns.package[k] + 1},`] : [])])
        assert.ok(words.includes(part), `${name}: the tip says '${part}': ${words}`);
    assert.ok(!wide || inColumn(words, 1e-9 * columns.length_ns[k]), `${name}: the tip says ${seconds(columns.length_ns[k])}: ${words}`);
    await canvas.focus();
    await page.keyboard.press('ArrowDown');
    const first = await page.locator('.tip').innerText();
    const others = [];
    for (const key of ['ArrowRight', 'ArrowLeft', 'ArrowLeft']) { // at the last event, one of them leads nowhere
        await page.keyboard.press(key);
        others.push(await page.locator('.tip').innerText());
    }
    assert.ok(others.some((other) => other !== first), `${name}: arrows go from event to event`);
    await page.keyboard.press('Escape');
}

/* Pointing at a fit says what its probes took. */
async function probesCheck(page, name) {
    const { probes, profile, setting } = dataOf(name), code = probes.operations.indexOf('compute');
    const size = profile.settings[setting].windows[0].tasks[0];
    const lengths = probes.length_ns.filter((_, k) => probes.operation[k] === code && probes.setting[k] === setting
        && !probes.cold[k] && !probes.waited[k] && probes.tasks[k] === size).sort((a, b) => a - b);
    const chart = page.locator('#calibration figure.chart', { has: page.locator('[aria-label^="Compute"]') });
    await chart.locator('[tabindex]').focus();
    await page.keyboard.press('ArrowRight');
    const words = await chart.locator('output').innerText();
    const median = lengths[Math.floor(0.5 * lengths.length)], said = words.match(/probed [\d.]+ \S+/)?.[0] ?? '';
    assert.ok(lengths.length > 0 && inColumn(said, 1e-9 * median), `${name}: '${words}' says ${seconds(median)}`);
}

/* Is that time among the words, as far as these have digits? A last digit that is halved may go either way. */
function inColumn(text, value) {
    return [...text.matchAll(/([\d.]+) (s|ms|µs|ns)/g)].some(([, digits, name]) => {
        const unit = { s: 1, ms: 1e-3, µs: 1e-6, ns: 1e-9 }[name], behind = digits.split('.')[1]?.length ?? 0;
        return Math.abs(Number(digits) - value / unit) <= 0.5001 * 10 ** -behind;
    });
}

/* The figures are the JSON's, in words. */
async function figuresCheck(page, name) {
    const { report } = dataOf(name);
    if (!report)
        return;
    const words = await page.locator('.figures').innerText();
    for (const value of [report.measured_s, report.predicted_s].filter((known) => known !== null).map((known) => seconds(1e9 * known)))
        assert.ok(words.includes(value), `${name}: ${value} is in ${words}`);
    if (report.predicted_s === null)
        return; // nothing to explain
    const row = await page.locator('#time tr.total').last().innerText();
    assert.ok(inColumn(row, report.measured_s), row);
}

async function switchCheck(page) {
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    const before = await theme();
    await page.locator('.masthead button').click();
    assert.notEqual(await theme(), before, 'the button changes the colours');
    await page.locator('.masthead button').click();
}

async function sliderCheck(page) {
    const slider = page.locator('#result input[type=range]');
    const source = () => page.locator('#result img').last().getAttribute('alt');
    const first = await source();
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    assert.notEqual(await source(), first, 'the slider changes the slice');
    await page.keyboard.press('Home');
}

/* Printed, not judged: how soon something is to be seen, how soon all, and how long a zoom takes. */
async function timesPrint(page, name) {
    const times = await page.evaluate(() => {
        const paint = performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
        const canvas = document.querySelector('.gantt canvas');
        const key = (name_) => canvas.dispatchEvent(new KeyboardEvent('keydown', { key: name_ }));
        return new Promise((done) => {
            const start = performance.now();
            let left = 20;
            const step = () => {
                if (left-- === 0)
                    return done({ paint, zoom: (performance.now() - start) / 20 });
                key(left % 2 ? '+' : '-');
                return requestAnimationFrame(step);
            };
            step();
        });
    });
    const { events } = dataOf(name);
    const count = (events.measured?.rank.length ?? 0) + (events.predicted?.rank.length ?? 0);
    console.log(`${name}: ${count} events, first paint after ${times.paint.toFixed(0)} ms, all after ${
        page.filled.toFixed(0)} ms, a zoom step ${times.zoom.toFixed(0)} ms`);
}

async function pageCheck(browser, name, colorScheme) {
    const page = await pageOpen(browser, name, { colorScheme });
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
    await chartsCheck(page, name);
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`), fullPage: true });
    await figuresCheck(page, name);
    if (CALIBRATIONS.includes(name))
        await probesCheck(page, name);
    else if (dataOf(name).events) {
        await hoverCheck(page, name);
        await timesPrint(page, name);
    }
    if (name === 'run')
        await sliderCheck(page);
    if (await page.locator('#masters').count() > 0)
        await mastersCheck(page, name);
    if (await page.locator('#strips').count() > 0)
        await stripsCheck(page, name);
    if (await page.locator('#joined').count() > 0)
        await joinedCheck(page, name);
    await switchCheck(page);
    await keysCheck(page, name);
    await auditCheck(page, name);
    await chartsCheck(page, name);
    assert.deepEqual(page.complaints, [], name);
    await page.close();
}

/* Nothing is wider than a telephone, but what scrolls by itself. */
async function narrowCheck(browser, name) {
    const page = await pageOpen(browser, name, { viewport: NARROW, colorScheme: 'light' });
    await page.screenshot({ path: join(folder, `${name}-narrow.png`), fullPage: true });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= NARROW.width, `${name}: ${wide} pixels wide on a screen of ${NARROW.width}`);
    assert.deepEqual(page.complaints, [], name);
    await page.close();
}

/* What an auditor of accessibility finds: names, contrasts, roles, tables. */
async function auditCheck(page, name) {
    await page.addScriptTag({ path: join(folder, 'node_modules/axe-core/axe.min.js') });
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    assert.deepEqual(violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => node.target).join(', ')}`), [], name);
}

/* In the page: sections that show nothing but their heading. */
function headingsAlone() {
    const shown = (node) => node.checkVisibility() && node.offsetHeight > 0;
    return [...document.querySelectorAll('section')].filter((section) => shown(section) &&
        ![...section.children].some((child) => child.tagName !== 'HEADER' && shown(child))).map((section) => section.id);
}

/* Printed from a dark screen: dark ink on white paper, all charts painted anew. */
async function printCheck(browser, name) {
    const page = await pageOpen(browser, name, { colorScheme: 'dark' });
    await page.pdf({ path: join(folder, `${name}.pdf`), format: 'A4', printBackground: true });
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark', 'after printing all is as before');
    await page.emulateMedia({ media: 'print' });
    assert.deepEqual(await page.evaluate(headingsAlone), [], `${name}: headings without anything below them in print`);
    assert.deepEqual(page.complaints, [], name);
    await page.close();
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
try {
    for (const name of wanted.length > 0 ? wanted : Object.keys(PAGES)) {
        for (const colorScheme of ['light', 'dark'])
            await pageCheck(browser, name, colorScheme);
        await narrowCheck(browser, name);
        await printCheck(browser, name);
        console.log(`${name}: good`);
    }
} finally {
    await browser.close();
}
