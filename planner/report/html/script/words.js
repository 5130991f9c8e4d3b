'use strict';

/* Numbers as people read them. */

const words = {
    /* Four digits and a unit, as scow prints them. */
    seconds(seconds) {
        if (seconds === null || !Number.isFinite(seconds))
            return '–';
        const units = [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']];
        const size = Math.abs(seconds);
        if (size === 0)
            return '0 s';
        const [unit, name] = units.find(([least]) => size >= least) ?? units[3];
        const value = seconds / unit;
        return `${words.minus(size >= 1e4 ? value.toFixed(0) : value.toPrecision(4))} ${name}`;
    },

    /* For a column of times: all in the unit of the largest, which has four digits, and aligned by their points. */
    secondsColumn(values) {
        const most = values.reduce((most_, value) => (Number.isFinite(value) ? Math.max(most_, Math.abs(value)) : most_), 0);
        const [unit, name] = [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']].find(([least]) => most >= least) ?? [1, 's'];
        const digits = most > 0 ? Math.min(3, Math.max(0, 3 - Math.floor(Math.log10(most / unit)))) : 0;
        return (seconds, signed) => {
            if (seconds === null || !Number.isFinite(seconds))
                return '–';
            const text = (Math.abs(seconds) / unit).toFixed(digits), sign = Number(text) === 0 ? '' : seconds < 0 ? '\u2212' : signed ? '+' : '';
            return `${sign}${text} ${name}`;
        };
    },

    signedSeconds(seconds) {
        return seconds > 0 ? `+${words.seconds(seconds)}` : words.seconds(seconds);
    },

    percent(share) {
        return share === null || !Number.isFinite(share) ? '–' : `${words.minus((100 * share).toFixed(1))} %`;
    },

    signedPercent(share) {
        if (share !== null && share > 10)
            return `${(1 + share).toPrecision(4)} ×`;
        return share > 0 ? `+${words.percent(share)}` : words.percent(share);
    },

    /* Thousands in groups. */
    count(number) {
        return number.toString().replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
    },

    several(number, thing) {
        return `${words.count(number)} ${thing}${number === 1 ? '' : 's'}`;
    },

    /* hours:minutes:seconds, as batch systems want it. */
    walltime(seconds) {
        const two = (value) => String(Math.floor(value)).padStart(2, '0');
        return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
    },

    short(number) {
        if (number === null || !Number.isFinite(number))
            return '–';
        const size = Math.abs(number), plain = size === 0 || (size >= 1e-4 && size < 1e9);
        return words.minus(plain ? Number(number.toPrecision(4)).toString() : number.toExponential(3));
    },

    minus(text) {
        return text.replace('-', '\u2212');
    },

    /* Numbers stay with their units. */
    bound(text) {
        return text.replace(/(\d) (s|ms|us|ns|%)(?![\w])/g, '$1\u00a0$2');
    },

    capital(text) {
        return text.charAt(0).toUpperCase() + text.slice(1);
    },
};
