/* A search in levels: what its plan expects of each and, of a run, what became of it. */

const levelColumns = {
    plan: [{ name: 'level' }, { name: 'core tasks' }, { name: 'predicted' }],
    run: [{ name: 'level' }, { name: 'core tasks' }, { name: 'predicted as it began' }, { name: 'measured' }, { name: 'error' },
        { name: 'core tasks expected' }, { name: 'in' }],
};

/* Of those that are known; of none, nothing. */
function levelsSum(values) {
    const known = values.filter((value) => value !== undefined && value !== null);
    return known.length === values.length ? known.reduce((sum, value) => sum + value, 0) : null;
}

function levelTasks(tasks, about) {
    return tasks === undefined || tasks === null ? '–' : `${about ? 'about ' : ''}${words.count(tasks)}`;
}

function plannedLevels(levels) {
    const rows = levels.map((level, k) => ({ cells: [words.count(k + 1), levelTasks(level.tasks, k > 0), words.seconds(level.makespan_s ?? null)] }));
    return [...rows, { kind: 'total', cells: ['all', levelTasks(levelsSum(levels.map((level) => level.tasks)), levels.length > 1),
        words.seconds(levelsSum(levels.map((level) => level.makespan_s)))] }];
}

function measuredLevels(levels) {
    const cells = (name, level) => [name, words.count(level.tasks), words.seconds(level.predicted_s), words.seconds(level.measured_s),
        words.signedPercent(level.error), levelTasks(level.expected_tasks), words.seconds(level.expected_s ?? null)];
    const sum = (member) => levelsSum(levels.map((level) => level[member]));
    const all = { tasks: sum('tasks'), predicted_s: sum('predicted_s'), measured_s: sum('measured_s'), expected_tasks: sum('expected_tasks'),
        expected_s: sum('expected_s') };
    all.error = all.predicted_s > 0 && all.measured_s > 0 ? all.measured_s / all.predicted_s - 1 : null;
    return [...levels.map((level) => ({ cells: cells(words.count(level.level), level) })), { kind: 'total', cells: cells('all', all) }];
}

function levelsSection(data) {
    const run = data.report?.levels, note = run
        ? `Each level was planned when it began, for as many core tasks as it had; the rest of this page is of level ${words.count(run[run.length - 1].level)}.`
        : `What is expected after the first level, which is planned: each is planned when it begins, for as many core tasks as it has.${
            data.plan.more_levels ? ' After these there are others, of which nothing is known.' : ''}`;
    return section('levels', 'Levels', note, scrolled('Each level', table(null, run ? levelColumns.run : levelColumns.plan,
        run ? measuredLevels(run) : plannedLevels(data.plan.levels))));
}
