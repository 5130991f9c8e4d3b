/* Light and dark: as the system has it, or as the reader chose; printed always light. */

const colours = {
    watchers: [],
    chosen: null,
    printing: false,
    system: window.matchMedia('(prefers-color-scheme: dark)'),

    get(name) {
        return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    },

    theme() {
        if (colours.printing)
            return 'light';
        return colours.chosen ?? (colours.system.matches ? 'dark' : 'light');
    },

    /* What is painted on a canvas has to be painted again. */
    watch(repaint) {
        colours.watchers.push(repaint);
    },

    apply() {
        document.documentElement.dataset.theme = colours.theme();
        colours.watchers.forEach((repaint) => repaint());
    },

    print(begins) {
        colours.printing = begins;
        colours.apply();
    },

    /* The button that changes them. */
    button() {
        const label = () => (colours.theme() === 'dark' ? 'Light' : 'Dark');
        const button = el('button', {
            type: 'button',
            title: 'Change the colours of this page',
            onclick() {
                colours.chosen = colours.theme() === 'dark' ? 'light' : 'dark';
                colours.apply();
            },
        }, label());
        colours.watch(() => { button.textContent = label(); });
        return button;
    },

    start() {
        colours.apply();
        colours.system.addEventListener('change', colours.apply);
        window.addEventListener('beforeprint', () => colours.print(true));
        window.addEventListener('afterprint', () => colours.print(false));
    },
};

/* The colour of what a worker waits for, or of an operation. */
function operationColour(operation, cause) {
    if (operation !== 'idle')
        return operation;
    return cause === 'unexplained' ? 'unexplained' : 'idle';
}
