/* What was run, in full, to copy. */

function copyButton(text) {
    const button = el('button', { type: 'button', onclick: () => navigator.clipboard.writeText(text)
        .then(() => { button.textContent = 'Copied'; }, () => { button.textContent = 'Select and copy by hand'; }) }, 'Copy');
    return button;
}

function toCopy(text) {
    return [el('div', { class: 'tools' }, copyButton(text)), el('pre', { tabindex: 0 }, text)];
}

function documentPart(name, value) {
    return folded(name, () => toCopy(JSON.stringify(value, null, 1)));
}

/* The commands that do the same again; names with odd characters in quotes. */
function shellWord(word) {
    return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function commandLinePart(report) {
    return report.command_line ? folded('The command that ran it', () => toCopy(report.command_line)) : null;
}

function commandsPart(data) {
    const { report, plan } = data;
    if (!plan || hasMasters(plan))
        return null;
    const input = report?.input ? ` -i ${shellWord(report.input)}` : '';
    const size = input || ` -X ${plan.tasks}`;
    const { beyond } = plan;
    const more = beyond ? ` -n ${beyond.measured + beyond.workers} --like ${beyond.rank}` : '';
    const text = `scow plan -p profile.json${size}${more} -o plan.json\nmpiexec -n ${lastRank(plan) + 1} scow run plan.json${input} -o out.h5\nscow report out.h5 --html report.html\n`;
    return folded('Commands that do the same again', () => toCopy(text));
}

/* Too many to be looked at. */
function planName(leftOut) {
    return leftOut ? `The plan (plan.json) without its ${words.several(leftOut.rounds, 'round')}${leftOut.weights > 0 ? ' and its weights' : ''}`
        : 'The plan (plan.json)';
}

function provenanceSection(data) {
    const report = data.report ?? {}, plan = data.plan ?? {}, host = data.profile?.host ?? {};
    const code = (value) => (value ? el('code', null, value) : null);
    return section('provenance', 'Provenance', null, facts([['run by', report.version ? `scow ${report.version}` : null],
        ['core task', report.kernel ?? plan.kernel ?? data.profile?.kernel], ['plug-in', report.plugin], ['input', report.input],
        ['SHA-256 of the input', code(report.input_sha256)], ['checksum of the results', code(report.checksum)],
        ['computed by', report.method], ['processor', report.processor ?? host.processor], ['instruction set', report.isa ?? host.isa],
        ['threads of a worker', report.threads ?? host.threads], ['workers on a node', report.workers_per_node ?? host.workers_per_node], ['scheduler', plan.scheduler],
        ['calibrated', data.profile?.created], ['on', host.name], ['MPI', data.profile?.mpi],
        ['SHA-256 of the profile', code(plan.profile_sha256)]]),
    commandLinePart(report), commandsPart(data), data.plan ? documentPart(planName(data.left_out), data.plan) : null,
    data.profile ? documentPart('The profile (profile.json)', data.profile) : null,
    data.report ? documentPart('The report (scow report --json)', data.report) : null);
}
