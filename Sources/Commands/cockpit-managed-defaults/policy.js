/** The policy files, their history, and the way back. */

import { _, cockpit, count, fill, moment, value } from "./words.js";
import { button, element, field, load, mark, nothing, question, table } from "./elements.js";
import { administrator, run, text } from "./mdefaults.js";
import { edit } from "./editor.js";

/** What `inForce` means to people, with the kind of the mark. */
const states = {
    current: [_("in force"), "good"],
    later: [_("at other times"), "doubt"],
    "last good": [_("last good copy in force"), "doubt"],
    removed: [_("removed, copy in force"), "doubt"], unknown: [_("unknown"), "bad"],
    "not recorded yet": [_("refused"), "bad"], no: [_("not in force"), ""],
};

/** The state of a file: one that waits for its time is good, and not in force now. */
const state = file => file.inForce === "current" && !file.applies && file.nextChange ? "later" : file.inForce;

/** The folder whose files are edited. */
const folder = "/etc/managed-defaults/policies.d/";

export async function show(root, { path }) {
    if (path[0] === "edit" && path[1] && !path[1].includes("/")) return edit(root, path[1]);
    const [files, history] = [element("div"), element("div")];
    root.append(files, element("h2", {}, _("History")), history);
    await Promise.all([
        load(files, signal => run(["policy", "list"], { signal, accept: [0, 4] })
            .then(async found => found.length ? found : [{ absence: await text(["policy", "list"], { signal }) }]), listing),
        load(history, signal => run(["policy", "history"],
            { signal, privileged: Boolean(administrator.allowed), accept: [0, 1] }),
            found => generations(found,
                () => root.isConnected && cockpit.location.replace(["policy"], { at: String(Date.now()) })))]);
}

/** The files in the order of their application. */
function listing(found) {
    const head = element("div", { class: "bar" }, administrator.allowed
        ? button(_("New file …"), begin, { class: "primary" })
        : element("p", { class: "notice" },
            _("You see policy as it is. To change it, turn on administrative access in Cockpit's top bar.")));
    if (found[0]?.absence) return [head, nothing(found[0].absence)];
    return [head, table([_("File"), _("State"), _("For me"), _("What it is"), _("Findings")], found, file => {
        const name = file.file.split("/").at(-1);
        const isOwn = file.file.startsWith(folder) && !file.ignored;
        return [
            [isOwn ? element("a", { href: "#" + cockpit.location.encode(["policy", "edit", name]) }, name)
                : element("span", {}, name),
                !isOwn && element("div", { class: "quiet" }, file.file.slice(0, -name.length))],
            file.ignored ? mark(_("not read")) : [mark(...(states[state(file)] || [file.inForce])),
                file.signature && element("div", { class: "quiet" }, file.signature.state, " ", file.signature.signer || "")],
            file.ignored ? "" : [file.applies ? _("applies") : _("does not apply"),
                file.reason && element("div", { class: "quiet" }, file.reason),
                file.nextChange && element("div", { class: "quiet" }, fill("changes next: $0", moment(file.nextChange))),
                file.ends && element("div", { class: "quiet" }, fill("ends: $0", moment(file.ends)))],
            file.ignored ? file.reason : [file.description || "", element("div", { class: "quiet" }, file.policy || "",
                file.version === undefined ? "" : `, ${_("version")} ${file.version}`, file.enforced ? ", Enforced" : "")],
            findings(file.findings || [], isOwn && (finding =>
                cockpit.location.go(["policy", "edit", name], { line: String(finding.line) }))),
        ];
    })];
}

/** Findings with their line; a press calls `go(finding)` if there is one. */
export function findings(found, go) {
    const place = finding => fill("line $0, column $1", finding.line, finding.column);
    return found.length > 0 && element("ul", { class: "plain" }, found.map(finding => element("li", {},
        mark(finding.severity === "error" ? _("error") : _("warning"), finding.severity === "error" ? "bad" : "doubt"), " ",
        go ? button(place(finding), () => go(finding), { class: "link" }) : place(finding),
        ` ${finding.message} `, element("span", { class: "quiet" }, finding.code))));
}

/** Asks for the name of a new file. */
function begin() {
    const input = element("input", {
        name: "name", required: true, placeholder: "50-room.json", autocomplete: "off", pattern: "[^/]+"
    });
    question({
        title: _("A new policy file"), label: _("Write it"),
        body: field(_("Name"), input, _("Files count in the order of their names; .json is added if it is missing.")),
        action: async () => {
            const name = /\.(json|plist|mobileconfig)$/.test(input.value) ? input.value : `${input.value}.json`;
            cockpit.location.go(["policy", "edit", name]);
        }
    });
}

/** The generations, the newest first, each with the way back to it. */
function generations(found, again) {
    if (!found.length) return nothing(_("Nothing was recorded yet."));
    return table([_("Generation"), _("When"), _("Who"), _("Why"), _("Files"), ""], found.toReversed(), each => each.damaged
        ? [String(each.generation), "", "", each.damaged, "", ""]
        : [[String(each.generation), " ", each.inPlace && mark(_("in place"), "good")], moment(each.time),
            [each.user || String(each.uid), each.loginUser && each.loginUser !== each.user && ` (${each.loginUser})`],
            each.note,
            each.changes.map((change, index) => [
                index > 0 && ", ", element("code", {}, change.name), ` ${changes[change.change]}`]),
            administrator.allowed && !each.inPlace
                ? button(_("Go back …"), () => goBack(each.generation, again)) : ""], { step: 20 });
}

/** What happened to a file, or to a key. */
const changes = { added: _("added"), changed: _("changed"), removed: _("removed") };

/** Shows what a rollback changes, then does it. */
async function goBack(generation, again) {
    const body = element("div");
    const ready = load(body, signal => run(["policy", "rollback", String(generation), "--dry-run"],
        { privileged: true, signal }),
        answer => difference(answer.groups));
    let isTried = false;
    await question({
        title: fill("Go back to generation $0?", generation), label: _("Go back"), body, ready,
        action(signal) {
            isTried = true;
            return run(["policy", "rollback", String(generation), "--yes"], { privileged: true, signal });
        }
    });
    // Also if it was cancelled, because it may be done.
    if (isTried) again();
}

/** One side of a difference. */
function side(entry) {
    if (!entry) return element("em", {}, _("nothing"));
    const shown = entry.sensitive ? element("em", {}, _("(sensitive)"))
        : "value" in entry ? element("code", {}, value(entry.value))
        : entry.constraint ? element("code", {}, value(entry.constraint)) : "";
    return [entry.level, " ", shown];
}

/** What changes for everybody: people with equal differences together. */
export function difference(groups) {
    const lasting = groups.filter(group => group.differences.length);
    if (!lasting.length) return element("p", {}, _("At this moment nothing changes for anybody."));
    return lasting.map(group => {
        const names = group.users.join(", ");
        const people = element("details", {}, element("summary", {}, count("$0 person", "$0 people", group.users.length), ": ",
            names.length > 90 ? names.slice(0, 90) + " …" : names), element("p", { class: "quiet" }, names));
        const columns = [_("Domain"), _("Key"), _("Change"), _("Now"), _("Then")];
        return element("div", {}, people, table(columns, group.differences, each => [
            each.domain, each.key ?? element("em", {}, _("every other key")), changes[each.change],
            side(each.before), side(each.after)], { step: 50 }));
    });
}
