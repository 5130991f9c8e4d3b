/* The page: its parts in the order of their weight, those for which there are data. */

function contents(sections) {
    return el('nav', { class: 'contents', 'aria-label': 'Contents' }, ...sections.map((part) =>
        el('a', { href: `#${part.id}` }, part.querySelector('h2').textContent)));
}

/* The Gantt chart, and the other parts' way to it and from it. */
function ganttPart(data) {
    if (!data.events || (data.events.measured ?? data.events.predicted).rank.length === 0)
        return { nodes: [] };
    const chart = ganttBuild(data);
    const showRound = (round) => {
        const span = roundSpan(chart.rows, round);
        if (span)
            ganttShow(chart, ...span);
    };
    return { nodes: [ganttSection(data, chart.rows, chart)], showRound, follow: (use) => chart.followers.push(use),
        reveal: (worker) => ganttReveal(chart, FIRST_WORKER + worker) };
}

/* The parts below the headline, and their contents. */
function onePage(data) {
    const gantt = ganttPart(data);
    const sections = [...gantt.nodes];
    if (hasMasters(data.plan))
        sections.push(mastersSection(data));
    if (data.report?.levels || data.plan?.levels)
        sections.push(levelsSection(data));
    if (data.report?.measured_s !== undefined && data.report.measured_s !== null) /* else it left no trace */
        sections.push(timeSection(data.report, gantt, data.slowest));
    if (data.report?.joined_workers)
        sections.push(joinedSection(data.report));
    if (data.profile && data.setting >= 0 && data.profile.settings[data.setting].map)
        sections.push(regionsSection(data));
    if (data.profile && data.setting >= 0)
        sections.push(calibrationSection(data));
    if (data.told !== undefined && data.profile.settings.length > 1)
        sections.push(settingsSection(data));
    if (data.pareto)
        sections.push(paretoSection(data.pareto));
    if (data.pairs && data.plan)
        sections.push(feedingSection(data));
    if (data.sweep || data.schedulers || data.report?.others?.length)
        sections.push(workersSection(data));
    if (data.report)
        sections.push(requestedSection(data.report), resultSection(data));
    sections.push(provenanceSection(data));
    return [contents(sections), ...sections];
}

function pageFill(page, parts) {
    page.append(...parts.filter(Boolean));
    colours.apply();
}

/* The headline can be read while the charts are still being made; who prints by then waits for them. */
function pageStart() {
    const data = JSON.parse(document.getElementById('data').textContent), page = document.getElementById('page');
    colours.start();
    if (data.runs) {
        pageFill(page, comparisonPage(data));
        return;
    }
    if (data.strips) {
        pageFill(page, stripsPage(data));
        return;
    }
    pageFill(page, data.report ? runHeadline(data) : data.plan ? planHeadline(data) : calibrationHeadline(data));
    let begun = false;
    const rest = () => {
        if (!begun) {
            begun = true;
            pageFill(page, onePage(data));
        }
    };
    window.addEventListener('beforeprint', rest);
    requestAnimationFrame(() => setTimeout(rest));
}

pageStart();
