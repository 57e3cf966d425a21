/** A text area for one policy file: findings beneath as one types, then the difference for everybody, then install. */

import { _, cockpit, fill, moment } from "./words.js";
import { button, element, failure, field, load, question } from "./elements.js";
import { administrator, run, text } from "./mdefaults.js";
import { difference, findings } from "./policy.js";

const folder = "/etc/managed-defaults/policies.d/";

/** The file as it lies there: its digest first, so that a change in between is noticed when it is put back. */
async function read(name, signal) {
    const files = await run(["policy", "list"], { signal, accept: [0, 4], privileged: Boolean(administrator.allowed) });
    const listed = files.find(file => file.file === folder + name);
    const file = cockpit.file(folder + name, { superuser: "try", max_read_size: 32 << 20 });
    try {
        return { seen: listed?.sha256 || "none", content: await file.read() };
    } finally {
        file.close();
    }
}

/** A text area with the numbers of its lines. */
function area(content, onchange) {
    const numbers = element("pre", { "aria-hidden": "true" });
    const words = element("textarea", {
        "aria-label": _("Text of the file"), spellcheck: "false", autocapitalize: "off", wrap: "off", value: content,
        oninput: () => { draw(); onchange() }, onscroll: () => { numbers.scrollTop = words.scrollTop }
    });
    let [marked, drawn] = [new Set(), ""];
    const draw = () => {
        const lines = words.value.split("\n").length;
        const state = `${lines} ${[...marked]}`;
        if (state === drawn) return;
        drawn = state;
        numbers.textContent = Array.from({ length: lines },
            (_each, index) => (marked.has(index + 1) ? "✗ " : "") + (index + 1)).join("\n") + "\n\n";
        numbers.scrollTop = words.scrollTop;
    };
    draw();
    return {
        words, box: element("div", { class: "editor" }, numbers, words),
        /** Marks the lines of findings. */
        mark(lines) { marked = new Set(lines); draw() },
        /** Moves the cursor to a place. */
        go({ line, column }) {
            const before = words.value.split("\n").slice(0, line - 1);
            const start = before.reduce((sum, each) => sum + each.length + 1, 0) + Math.max(0, column - 1);
            words.focus();
            words.setSelectionRange(start, start);
            words.scrollTop = Math.max(0, (line - 5) * words.scrollHeight / Math.max(1, words.value.split("\n").length));
        }
    };
}

/** Edits one file. */
export async function edit(root, name) {
    // Another person, or another machine of Cockpit, may come in the same tab.
    const draft = `managed-defaults:${(await cockpit.user()).name}@${cockpit.transport.host}:${name}`;
    const body = element("div", { class: "stack" });
    root.append(element("p", {}, element("a", { href: "#/policy" }, _("All policy files"))), element("h2", {}, name), body);
    let [timer, controller] = [null, new AbortController()];
    let [seen, content, isSound] = ["none", "", false];

    const found = await load(body, signal => read(name, signal)
        .then(async file => file.content === null && administrator.allowed
            ? { ...file, content: await text(["policy", "new", `--as=${name}`], { signal }), isNew: true } : file), () => []);
    if (!found) return () => {};
    if (found.content === null) return void body.append(failure(_("There is no such file, or it is not yours to read.")));
    if (/\0|\uFFFD/.test(found.content)) {
        return void body.append(failure(_("This file is binary. mdefaults policy convert makes text of it.")));
    }
    [seen, content] = [found.seen, found.content];
    const kept = administrator.allowed && JSON.parse(sessionStorage.getItem(draft) || "null");
    const isKept = kept && kept.content !== content;
    if (isKept) [seen, content] = [kept.seen, kept.content];

    const notice = element("div", { "aria-live": "polite" });
    const answers = element("div", { "aria-live": "polite", class: "card" });
    const editor = area(content, changed);
    const next = button(_("Look at the difference …"), preview, { class: "primary", disabled: true });
    const over = button(_("Begin again from the file"), () => {
        clearTimeout(timer);
        sessionStorage.removeItem(draft);
        cockpit.location.replace(["policy", "edit", name], { at: String(Date.now()) });
    });
    if (!administrator.allowed) {
        editor.words.readOnly = true;
        notice.append(element("p", { class: "notice" },
            _("You see policy as it is. To change it, turn on administrative access in Cockpit's top bar.")));
    } else if (isKept) {
        notice.append(element("p", { class: "notice" }, _("This is your text that was not installed yet.")));
    } else if (found.isNew) {
        notice.append(element("p", { class: "notice" }, _("A new file: nothing is in place until you install it.")));
    }
    body.append(notice, editor.box, element("h3", {}, _("Findings")), answers,
        administrator.allowed && element("div", { class: "bar" }, next, over));
    check();
    const { line } = cockpit.location.options;
    if (line) editor.go({ line: Number(line), column: 1 });

    /** Keeps the text for the case that the page goes away, and checks it 500 ms after the last key. */
    function changed() {
        next.disabled = true;
        // A text that is too large to be kept is checked and installed all the same.
        try {
            sessionStorage.setItem(draft, JSON.stringify({ seen, content: editor.words.value }));
        } catch {
            sessionStorage.removeItem(draft);
        }
        clearTimeout(timer);
        timer = setTimeout(check, 500);
    }

    /** Asks the command what it finds in the text. */
    async function check() {
        controller.abort();
        const own = controller = new AbortController();
        const checked = editor.words.value;
        try {
            const list = await run(["policy", "lint", "-", `--as=${name}`],
                { input: checked, signal: own.signal, accept: [0, 1] });
            if (own.signal.aborted) return;
            isSound = !list.some(finding => finding.severity === "error");
            editor.mark(list.map(finding => finding.line));
            answers.replaceChildren(list.length ? findings(list, editor.go)
                : element("p", {}, _("Nothing to complain about.")));
            next.disabled = !isSound || checked !== editor.words.value;
        } catch (error) {
            if (!own.signal.aborted) answers.replaceChildren(failure(error));
        }
    }

    /** Shows what the text would change, and installs it with a reason. */
    async function preview() {
        const [input, shown] = [editor.words.value, element("div")];
        const reason = element("input", { name: "reason", required: true, autocomplete: "off" });
        const ready = load(shown, async signal => {
            const there = await read(name, signal);
            if (there.seen !== seen) return { overtaken: there };
            return run(["policy", "install", "-", `--as=${name}`, "--dry-run"], { input, privileged: true, signal });
        }, answer => {
            if (!answer.overtaken) return [difference(answer.groups), findings(answer.findings || [])];
            collide(answer.overtaken);
            return element("p", { class: "failure" },
                _("Another person changed this file meanwhile. Close this, and look at both texts."));
        });
        const done = await question({
            title: fill("Install $0?", name), label: _("Install"), body: [shown, field(_("Reason, for the history"), reason)],
            ready: ready.then(answer => answer && !answer.overtaken),
            action: async signal => {
                try {
                    return await run(["policy", "install", "-", `--as=${name}`,
                        `--if-unchanged=${seen}`, `--reason=${reason.value}`, "--yes"],
                        { input, privileged: true, signal, accept: [0, 4] });
                } catch (error) {
                    const there = await read(name);
                    if (there.seen === seen) throw error;
                    // A command that was ended late has put the text in place, and not finished what follows.
                    return there.content === input ? { failures: [error] } : { overtaken: there };
                }
            }
        });
        if (done?.overtaken) return collide(done.overtaken);
        if (!done) return;
        sessionStorage.removeItem(draft);
        if (done.failures?.length) await question({ title: _("Not all was done"), body: done.failures.map(failure) });
        if (root.isConnected) cockpit.location.go(["policy"]);
    }

    /** Says that another person changed the file, shows that text, and goes on only from there. */
    async function collide(there) {
        const history = await run(["policy", "history"], { privileged: true, accept: [0, 1] }).catch(() => []);
        const last = history.findLast(each => each.changes?.some(change => change.name === name)) || {};
        const goOn = button(_("Go on with my text instead of theirs"), () => {
            seen = there.seen;
            changed();
            notice.replaceChildren(element("p", { class: "notice" },
                _("Installing now replaces the other text. Look at the difference first.")));
        });
        notice.replaceChildren(element("div", { class: "notice" },
            element("p", {}, fill(
                "$0 was changed while you wrote: by $1, $2: $3. Nothing was installed, and your text is kept here.",
                name, last.user || "?", moment(last.time), last.note || "")),
            element("details", { open: true }, element("summary", {}, _("Their text")),
                element("pre", { class: "code", tabindex: "0", "aria-label": _("Their text") },
                    there.content ?? _("The file was removed."))),
            element("div", { class: "actions" }, goOn)));
        notice.scrollIntoView({ block: "nearest" });
    }

    return () => { clearTimeout(timer); controller.abort() };
}
