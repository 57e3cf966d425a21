/** Elements of the page. What comes from outside is always a text node. */

import { _, fill } from "./words.js";

/**
 * An element: properties that begin with `on` are listeners, `value` and `checked` are set, all others are attributes; false
 * and null are left out. Children are nodes, texts, lists of them, or nothing.
 */
export function element(tag, properties, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(properties || {})) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
        else if (name === "value" || name === "checked") node[name] = value;
        else node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
    return node;
}

/** A button. */
export const button = (label, onclick, properties) => element("button", { type: "button", onclick, ...properties }, label);

/** A field with its label. */
export function field(label, input, note) {
    return element("label", { class: "field" }, element("span", {}, label), input, note && element("small", {}, note));
}

/** A mark of one word: `kind` is good, bad, doubt or nothing. */
export const mark = (word, kind) => element("span", { class: "mark " + (kind || "") }, word);

/**
 * A table of many rows: `columns` are titles, `row(item)` gives the cells. 200 rows are made at a time. On a narrow screen
 * each row is a block whose cells have their titles.
 */
export function table(columns, items, row = item => item, { caption, step = 200 } = {}) {
    const body = element("tbody");
    let made = 0;
    const more = button("", () => { grow(); body.rows[made - 1]?.scrollIntoView({ block: "nearest" }) }, { class: "more" });
    const grow = () => {
        const next = items.slice(made, made + step);
        made += next.length;
        body.append(...next.map(item => element("tr", {}, row(item).map((cell, index) => {
            const content = [cell].flat(Infinity).filter(part => part || part === 0);
            return element("td", { "data-title": columns[index] }, content.length > 0 && element("div", {}, content));
        }))));
        more.hidden = made >= items.length;
        more.textContent = fill("Show more ($0 of $1)", made, items.length);
    };
    grow();
    return element("div", { class: "table" },
        element("table", {}, caption && element("caption", {}, caption),
            element("thead", {}, element("tr", {}, columns.map(title => element("th", { scope: "col" }, title)))), body),
        more);
}

/** The sentence of an error. */
export const failure = error => element("p", { class: "failure", role: "alert" }, error.message || String(error));

/** A sentence instead of an answer. */
export const nothing = words => element("p", { class: "nothing" }, words);

/** What runs for a view, with the place where its progress is shown. */
const running = new Map();

/** Ends what runs in `place`. */
function stop(place) {
    for (const [controller, root] of running) if (place.contains(root)) controller.abort();
}

/** How open dialogs are closed that do nothing yet. */
const leave = new Set();

/** Ends what still runs for a view that is left, and closes its dialogs, but not one whose action runs. */
export function abandon() {
    for (const [controller, root] of running) if (!root.closest("dialog")) controller.abort();
    for (const close of leave) close();
}

/**
 * Waits for `work(signal)`: after 300 ms `root` shows a mark with a button that cancels, after 8 s that it takes long.
 * Resolves and rejects as the work does.
 */
export async function progress(work, root) {
    const controller = new AbortController();
    const words = element("span", {}, _("Working …"));
    const shown = element("p", { class: "progress", role: "status" },
        element("span", { class: "spinner", "aria-hidden": "true" }),
        words, button(_("Cancel"), () => controller.abort()));
    const begin = setTimeout(() => root.append(shown), 300);
    const long = setTimeout(() => {
        words.textContent = _("The machine has not answered for 8 seconds. A service may hang.");
    }, 8000);
    running.set(controller, root);
    try {
        return await work(controller.signal);
    } finally {
        running.delete(controller);
        clearTimeout(begin);
        clearTimeout(long);
        shown.remove();
    }
}

/** The last question of each place. */
const latest = new WeakMap();

/**
 * Empties `root`, waits for `work(signal)` there, and shows what `draw(answer)` makes of it, or the error. Ends what was asked
 * for this place before, whose answer would be an old one: that gives null, as an error does.
 */
export async function load(root, work, draw) {
    stop(root);
    const own = {};
    latest.set(root, own);
    const isLatest = () => latest.get(root) === own;
    root.replaceChildren();
    try {
        const answer = await progress(work, root);
        if (!isLatest()) return null;
        root.replaceChildren(...[await draw(answer)].flat(Infinity).filter(Boolean));
        return answer;
    } catch (error) {
        if (isLatest()) root.replaceChildren(failure(error));
        return null;
    }
}

/**
 * A dialog: `body` are nodes, `action(signal)` is done by the button `label`, which can be pressed once `ready` resolves to
 * something true; while it fails the dialog stays and says why. Without an action it only shows. Resolves with what the
 * action gave, and with null if it was closed.
 */
export function question({ title, body, label, danger = false, action, ready = true }) {
    return new Promise(resolve => {
        const [notes, heading] = [element("div"), element("h2", { id: "question" }, title)];
        let result = null;
        // A page in the background gets no event for a dialog that it closed.
        const finish = () => {
            leave.delete(left);
            stop(dialog);
            dialog.remove();
            opener?.focus();
            resolve(result);
        };
        const left = () => { if (!close.disabled) finish() };
        const close = button(action ? _("Cancel") : _("Close"), finish);
        const agree = action && element("button", { class: danger ? "danger" : "primary", disabled: true }, label);
        Promise.resolve(ready).then(is => { if (agree) agree.disabled = !is });
        const form = element("form", {
            method: "dialog",
            async onsubmit(event) {
                event.preventDefault();
                if (agree.disabled) return;
                agree.disabled = close.disabled = true;
                notes.replaceChildren();
                try {
                    result = await progress(action, notes);
                    finish();
                } catch (error) {
                    if (error.cancelled || error.problem === "cancelled") {
                        error.message = _("Cancelled. What the command did until then stays done.");
                    }
                    notes.replaceChildren(failure(error));
                }
                agree.disabled = close.disabled = false;
            }
        }, heading, body, notes, element("div", { class: "actions" }, agree, close));
        const dialog = element("dialog", {
            "aria-labelledby": "question",
            // What runs is ended by its own button; a second Escape closes a dialog without asking.
            oncancel: event => { if (close.disabled) event.preventDefault() },
            onclose: () => { if (close.disabled) dialog.showModal(); else finish() }
        }, form);
        const opener = document.activeElement;
        document.body.append(dialog);
        leave.add(left);
        dialog.showModal();
    });
}
