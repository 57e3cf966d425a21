/** The report as it is made, and what doctor finds with what to do. */

import { _, cockpit, count, fill } from "./words.js";
import { button, element, field, load, mark, question } from "./elements.js";
import { administrator, run, text } from "./mdefaults.js";

/** The address of what a command prints, which Cockpit serves by itself: a page of its own for a frame, or a file. */
function address(words, options) {
    const query = {
        payload: "stream", binary: "raw", host: cockpit.transport.host,
        spawn: ["mdefaults", ...words],
        environ: ["NO_COLOR=1", "LC_ALL=C.UTF-8"],
        ...(administrator.allowed && { superuser: "require" }), external: options
    };
    return new URL(cockpit.transport.uri(`channel/${cockpit.transport.csrf_token}`)).pathname
        + "?" + btoa(JSON.stringify(query));
}

/** The formats that can be kept. */
const formats = [
    ["html", "text/html", _("Page (HTML)")], ["csv", "text/csv", _("Table (CSV)")],
    ["json", "application/json", _("For programs (JSON)")]
];

export async function show(root) {
    const period = element("select", {}, [["7d", _("7 days")], ["1d", _("a day")], ["30d", _("30 days")], ["", _("all times")]]
        .map(([word, title]) => element("option", { value: word }, title)));
    const format = element("select", {}, formats.map(([word, , title]) => element("option", { value: word }, title)));
    const words = kind => ["report", "--exit-zero", "--format", kind, ...(period.value ? ["--since", period.value] : [])];
    const [place, checks] = [element("div"), element("div")];
    root.append(
        element("form", { class: "bar card", onsubmit: event => { event.preventDefault(); frame(place, words("html")) } },
            field(_("Attempts of"), period), element("button", { class: "primary" }, _("Show the report")),
            field(_("As"), format), button(_("Save as a file"), () => save(words(format.value), format.value))),
        place, checks);
    await doctor(checks);
}

/** Shows the page that the command makes; its scripts do not run here. */
function frame(place, words) {
    const shown = element("iframe", {
        title: _("Report"), sandbox: true, src: address(words, { "content-type": "text/html" }),
        onload: () => { waiting.remove() }
    });
    const waiting = element("p", { class: "progress", role: "status" },
        element("span", { class: "spinner", "aria-hidden": "true" }),
        element("span", {}, _("The report is made …")), button(_("Cancel"), () => place.replaceChildren()));
    place.replaceChildren(waiting, shown);
}

/** Lets the browser keep what the command prints. */
function save(words, kind) {
    const [, type] = formats.find(each => each[0] === kind);
    const name = `report-${cockpit.transport.host}-${new Date().toISOString().slice(0, 10)}.${kind}`.replace(/[^\w.-]/g, "");
    const link = element("a", {
        href: address(words, { "content-type": type, "content-disposition": `attachment; filename="${name}"` }),
        download: name
    });
    document.body.append(link);
    link.click();
    link.remove();
}

/** The checks: what fails first, each with what to do. */
const ask = signal => run(["doctor"], { signal, privileged: Boolean(administrator.allowed), accept: [0, 1] });
const doctor = root => load(root, ask, checks => {
    const [bad, good] = [checks.filter(check => !check.ok), checks.filter(check => check.ok)];
    const item = check => element("li", { class: "card" },
        element("p", {}, mark(check.ok ? _("in order") : _("to mend"), check.ok ? "good" : "bad"), " ", check.detail),
        check.remedy && element("p", {}, element("strong", {}, _("What to do: ")), check.remedy),
        check.command && (administrator.allowed ? button(_("Run this command"), () => mend(check, root))
            : element("p", { class: "quiet" }, _("An administrator can run this here: "),
                element("code", {}, check.command.join(" ")))));
    return [
        element("h2", {}, _("Checks (doctor)")),
        element("p", { role: "status" }, bad.length ? fill("$0 of $1 checks are not passed.", bad.length, checks.length)
            : fill("All $0 checks are passed.", checks.length)),
        bad.length > 0 && element("ul", { class: "plain list" }, bad.map(item)),
        good.length > 0 && element("details", {},
            element("summary", {}, count("$0 check that is passed", "$0 checks that are passed", good.length)),
            element("ul", { class: "plain list" }, good.map(item))),
    ];
});

/** Runs the command that mends what a check found, after a question. */
async function mend(check, root) {
    const output = await question({
        title: _("Run this command as administrator?"), label: _("Run it"),
        body: [element("p", {}, check.detail), element("p", {}, check.remedy),
            element("pre", { class: "code" }, check.command.join(" "))],
        action(signal) {
            const [program, ...words] = check.command;
            if (program === "mdefaults") {
                return text(words, { signal, privileged: true, accept: [0, 1] }).then(said => said || " ");
            }
            const process = cockpit.spawn(check.command, { superuser: "require", err: "message" });
            signal.addEventListener("abort", () => process.close("cancelled"));
            return process.then(said => said || " ");
        }
    });
    if (output === null) return;
    if (output.trim()) await question({ title: _("What it said"), body: element("pre", { class: "code" }, output) });
    if (root.isConnected) doctor(root);
}
