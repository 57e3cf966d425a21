/** Other programs: what of policy is written for each, and what the program itself says of it. */

import { _, count, fill, moment, value } from "./words.js";
import { button, element, failure, load, mark, nothing, progress, table } from "./elements.js";
import { administrator, run } from "./mdefaults.js";

/** The state of one policy of a program, in words and with the kind of the mark. */
function state(program, findings) {
    if (!program.installed) return [_("not installed"), ""];
    if (!program.written) return [_("not enforced in this program"), "bad"];
    const states = program.files.map(file => file.state);
    if (states.includes("unknown")) return [_("unknown: only administrators see its files"), "doubt"];
    if (states.includes("changed")) return [_("changed by others"), "bad"];
    if (states.includes("not written yet")) return [_("not written yet"), "bad"];
    if (program.denied) return [fill("$0 denied by the program", program.denied), "bad"];
    if (program.asked && program.confirmed === program.entries) return [_("confirmed by the program"), "good"];
    if (program.asked && program.confirmed) return [fill("$0 of $1 confirmed", program.confirmed, program.entries), "doubt"];
    if (findings.some(finding => finding.kind === "first state only")) return [_("first state only"), "doubt"];
    return [program.asked ? _("written, and the program does not say") : _("written, and not asked"), "doubt"];
}

const kinds = () => ({
    "not supported": _("not supported"), "not known": _("not known"), "first state only": _("first state only"),
    "not installed": _("not installed"), "not enforced": _("not enforced"), denied: _("denied"), drift: _("changed"),
    rival: _("another file decides"), displaced: _("displaced"), failed: _("failed"), unknown: _("unknown"),
});
const results = () => ({
    enforced: [_("enforced"), "good"],
    default: [_("has it, users may change it"), "good"],
    differs: [_("differs"), "bad"], error: [_("error"), "bad"],
    "not supported": [_("not supported"), "doubt"],
    "first state only": [_("first state only"), "doubt"],
    "not known": [_("not known"), "doubt"],
});

export async function show(root) {
    const [body, answers] = [element("div"), element("div")];
    const options = signal => ({ signal, privileged: Boolean(administrator.allowed), accept: [0, 1] });
    root.append(answers, body);
    const reload = () => load(body, signal => run(["programs", "status"], options(signal)), draw);
    let isAsking = false;

    /** Asks the programs themselves: each is started without a window, which takes some seconds. */
    async function ask(names, title) {
        if (isAsking) return;
        isAsking = true;
        answers.replaceChildren(element("p", {},
            fill("Asking $0: each program is started without a window and may take 30 seconds.", title)));
        try {
            const documents = await progress(signal => run(["programs", "check", ...names], options(signal)), answers);
            answers.replaceChildren(...documents.map(answered));
            if (!documents.length) answers.replaceChildren(nothing(_("Policy says nothing that these programs read.")));
            await reload();
        } catch (error) {
            answers.replaceChildren(failure(error));
        } finally {
            isAsking = false;
        }
    }

    function draw({ programs, restarts, findings }) {
        if (!programs.length && !findings.length) return nothing(_("Policy says nothing that another program reads."));
        const of = name => findings.filter(finding => finding.program === name);
        const seen = new Set();
        const others = findings.filter(finding => !programs.some(program => program.program === finding.program));
        return [
            element("div", { class: "bar" },
                element("p", { class: "wide quiet" }, administrator.allowed
                    ? _("What programs answer is kept until policy or the program changes.")
                    : _("You can ask for yourself; only what an administrator asks is kept.")),
                button(_("Ask all now"), () => ask([], _("all programs")), { class: "primary" })),
            restarts.length > 0 && element("p", { class: "notice" },
                restarts.map(each => fill("$0 has to be started again by uid $1: it reads policy only when it starts.",
                    each.program, each.uid)).join("\n")),
            table([_("Program"), _("For whom"), _("Entries"), _("State"), _("Asked"), ""], programs, program => {
                const isFirst = !seen.has(program.program);
                seen.add(program.program);
                const own = isFirst ? of(program.program) : [];
                return [
                    [element("strong", {}, program.title),
                        isFirst && program.limit && element("details", {},
                            element("summary", {}, _("Limit")), program.limit)],
                    program.users ? names(program.users) : _("everybody"), String(program.entries),
                    [mark(...state(program, of(program.program))), notes(own),
                        program.files.length > 0 && element("details", {},
                            element("summary", {}, count("$0 file", "$0 files", program.files.length)),
                            element("ul", {}, program.files.map(file =>
                                element("li", {}, element("code", {}, file.path), " ", file.state))))],
                    program.asked ? moment(program.asked) : "",
                    isFirst && program.installed && button(_("Ask now"), () => ask([program.program], program.title),
                        { "aria-label": fill("Ask $0 now", program.title) }) || "",
                ];
            }),
            others.length > 0 && element("div", { class: "card" }, notes(others)),
        ];
    }
    await reload();
}

const names = list => list.length <= 20 ? list.join(", ")
    : element("details", {}, element("summary", {}, count("$0 person", "$0 persons", list.length)), list.join(", "));

/** The findings of a program, folded where there are many. */
function notes(findings) {
    if (!findings.length) return null;
    const list = element("ul", {}, findings.slice(0, 500).map(finding => element("li", {},
        mark(kinds()[finding.kind] || finding.kind, "doubt"), " ",
        finding.key && element("code", {}, finding.key, " "), finding.message, finding.origin
            && element("span", { class: "quiet" }, ` ${finding.origin.file}:${finding.origin.line}`),
        finding.remedy && element("code", {}, " ", finding.remedy))));
    return element("details", {}, element("summary", {}, count("$0 finding", "$0 findings", findings.length)), list,
        findings.length > 500 && fill("The first $0 are shown.", 500));
}

/** What one program answered. */
function answered(document) {
    const states = {
        "not installed": _("It is not installed."), "no witness": _("It cannot be asked."),
        "not asked": document.message || _("It was not asked.")
    };
    const bad = document.entries.filter(entry => !["enforced", "default"].includes(entry.result));
    return element("div", { class: "card" },
        element("h3", {}, document.title, " ", element("span", { class: "quiet" }, document.for || document.user)),
        document.state !== "asked" ? element("p", {}, states[document.state] || document.state) : [
            element("p", { role: "status" }, bad.length
                ? fill("$0 of $1 entries are not confirmed.", bad.length, document.entries.length)
                : count("The program confirms $0 entry.", "The program confirms all $0 entries.", document.entries.length)),
            bad.length > 0 && table([_("Key"), _("Required"), _("The program has"), _("Answer")], bad, entry => [
                element("code", {}, entry.domain, " ", entry.key),
                entry.sensitive ? _("(sensitive)") : element("code", {}, value(entry.required ?? "")),
                entry.sensitive ? "" : element("code", {}, value(entry.effective ?? "")),
                [mark(...(results()[entry.result] || [entry.result, "doubt"])), entry.note && ` ${entry.note}`],
            ])],
        document.foreign?.length > 0 && element("p", { class: "quiet" },
            count("$0 setting is in force there that policy does not have.",
                "$0 settings are in force there that policy does not have.", document.foreign.length)),
        document.remarks?.map(remark => element("p", { class: "quiet" }, remark)));
}
