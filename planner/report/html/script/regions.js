/* Where in the job core tasks are heavy: the profile's cost map, drawn along the job and told. */

/* The heaviest ones are in the table; the chart has all. */
const REGION_ROWS_MOST = 16;

/* What a mean core task takes to be computed, in the largest packages: the mean over all workers. */
function taskSeconds(setting) {
    const workers = setting.windows.at(-1).workers, number = (worker) => worker.count ?? 1;
    const sum = workers.reduce((all, worker) => all + number(worker) * worker.compute.s_per_task, 0);
    return sum / workers.reduce((all, worker) => all + number(worker), 0);
}

/* [{first, tasks, cost, seconds, work}] in the order of the job; cost is in mean core tasks, work a share of all. */
function regionsOf(setting) {
    const mean = taskSeconds(setting), { regions = [], tasks: all } = setting.map;
    let end = 0;
    return regions.map(({ tasks, cost }) => {
        const first = end + 1;
        end += tasks;
        return { first, tasks, cost, seconds: cost * mean, work: tasks * cost / all };
    });
}

/* Of the work, what the heaviest share of the core tasks has. */
function heaviestWork(regions, all, share) {
    let left = share * all, work = 0;
    for (const { tasks, cost } of [...regions].sort((a, b) => b.cost - a.cost)) {
        const taken = Math.min(left, tasks);
        work += taken * cost;
        left -= taken;
    }
    return work / all;
}

function regionName({ first, tasks }) {
    return tasks === 1 ? `core task ${words.count(first)}` : `core tasks ${words.count(first)} to ${words.count(first + tasks - 1)}`;
}

/* How sure the total is, from as many core tasks as were timed. */
function sampledWords({ tasks, sampled, unseen = 0 }) {
    if (sampled >= tasks)
        return 'All core tasks were timed.';
    const more = unseen > 0.005 ? `, and what was not seen may add ${words.percent(unseen)}` : '';
    return `${words.count(sampled)} of ${words.count(tasks)} core tasks were timed: a single one may be longer than anything seen${more}.`;
}

function regionsSentence(setting, regions) {
    const { map } = setting;
    if (regions.length === 0)
        return `Core tasks are not heavier in one part of the job than in another. ${sampledWords(map)}`;
    return `The job has ${words.several(regions.length, 'region')}: the heaviest tenth of its core tasks is ${
        words.percent(heaviestWork(regions, map.tasks, 0.1))} of the work; the total is known to ${words.percent(map.error ?? 0)}. ${sampledWords(map)}`;
}

/* Steps along the job: as wide as a region has core tasks, as high as one of them takes. */
function regionsStrip(setting, regions) {
    const most = Math.max(...regions.map((region) => region.seconds)), all = setting.map.tasks, [top, floor] = [18, 112];
    const x = barScale(0, all), y = (seconds) => floor - (floor - top) * seconds / most;
    const steps = regions.map((region) => {
        const box = barBox(x(region.first - 1), x(region.tasks), y(region.seconds), floor - y(region.seconds), { fill: 'var(--compute)' });
        box.append(svg('title', null, `${regionName(region)}: ${words.seconds(region.seconds)} each`));
        return box;
    });
    const mean = y(taskSeconds(setting)), text = (at, height, anchor, says) => svg('text', { x: at, y: height, 'text-anchor': anchor }, says);
    return svg('svg', { class: 'interval strip', role: 'img', 'aria-label': `What a core task takes along the job: ${
        words.seconds(Math.min(...regions.map((region) => region.seconds)))} to ${words.seconds(most)}` }, ...steps,
    svg('line', { x1: 0, x2: '100%', y1: mean, y2: mean, stroke: 'var(--ink)', 'stroke-dasharray': '4 4' }),
    svg('line', { x1: 0, x2: '100%', y1: floor, y2: floor, stroke: 'var(--soft)' }),
    text(0, top - 5, 'start', `${words.seconds(most)} at most; ${words.seconds(taskSeconds(setting))} in the mean (dashed)`),
    text(0, floor + 15, 'start', 'core task 1'), text('100%', floor + 15, 'end', words.count(all)));
}

function regionsTable(regions) {
    const seconds = words.secondsColumn(regions.map((region) => region.seconds));
    const shown = [...regions].sort((a, b) => b.work - a.work).slice(0, REGION_ROWS_MOST).sort((a, b) => a.first - b.first);
    const row = (region) => ({ cells: [regionName(region), words.count(region.tasks), seconds(region.seconds),
        words.short(region.cost), words.percent(region.work)] });
    return scrolled('Regions', table(shown.length < regions.length ? `The ${REGION_ROWS_MOST} with most of the work, of ${
        words.count(regions.length)}.` : null, [{ name: 'region', text: true }, { name: 'core tasks' }, { name: 'one takes' },
        { name: 'of the mean one' }, { name: 'of the work' }], shown.map(row)));
}

function regionsSection(data) {
    const setting = data.profile.settings[data.setting], regions = regionsOf(setting), job = data.plan?.tasks ?? setting.map.tasks;
    const other = regions.length > 0 && job !== setting.map.tasks ? ` They were found along ${words.count(setting.map.tasks)} core tasks, and are taken to lie at the same parts of these ${words.count(job)}.` : '';
    return section('regions', 'Along the job', null, el('p', null, words.bound(regionsSentence(setting, regions) + other)),
        ...(regions.length > 0 ? [regionsStrip(setting, regions), regionsTable(regions)] : []));
}
