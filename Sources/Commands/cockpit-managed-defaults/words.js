/** Words of the page in the language that Cockpit has, and values and times as people read them. */

export const cockpit = window.cockpit;

/** The text in the language of the session. */
export const _ = text => cockpit.gettext(text);

/** A text whose $0, $1 … are values. */
export const fill = (text, ...values) => cockpit.format(_(text), ...values);

/** One of two texts by a number, which is $0. */
export const count = (one, many, number) => cockpit.format(cockpit.ngettext(one, many, number), number);

/** A moment of the command (RFC 3339) in words. */
export function moment(text) {
    const date = new Date(text);
    if (!text || Number.isNaN(date.getTime())) return text || "";
    return date.toLocaleString(cockpit.language.replace("_", "-"), { dateStyle: "medium", timeStyle: "short" });
}

/** A property list of the command's JSON as one line of text. */
export function value(list) {
    return typeof list === "string" ? list : JSON.stringify(list);
}
