/** What is in force: for whom, on which host, when; and why one key is as it is. */

import { _, cockpit, count, fill, moment, value } from "./words.js";
import { button, element, field, load, mark, nothing, table } from "./elements.js";
import { administrator, asked, run, text } from "./mdefaults.js";

/** The places of the search list in words. */
const layers = {
    forced: _("policy: forced"), argument: _("arguments of the program"), "application-host": _("the person, this host"),
    application: _("the person"), suite: _("a suite"), "global-host": _("the person, all programs, this host"),
    global: _("the person, all programs"), "application-all-users": _("all people"),
    "global-all-users": _("all people, all programs"), recommended: _("policy: recommended"), language: _("language"),
    registration: _("the program itself"),
};

/** The levels of an entry in words, with the kind of the mark. */
const levels = {
    forced: [_("forced"), "bad"], absent: [_("forced: no value"), "bad"], recommended: [_("recommended"), "good"],
    setOnce: [_("set once"), "good"], constraint: [_("limited"), "doubt"], waiver: [_("waiver"), "doubt"],
};

/** The value of an entry, a place or a loser as an element. */
function shown(item) {
    if (item.sensitive) return element("em", {}, _("(sensitive)"));
    if (item.unknown) return element("em", {}, item.unknown);
    if (item.constraint?.allowed) return item.constraint.allowed;
    if (item.problem) return element("em", {}, item.problem);
    if ("value" in item) return element("code", {}, value(item.value));
    return element("em", {}, item.missing ? _("not there") : item.level === "waiver" ? "" : _("no value"));
}

/** The file and line of an origin. */
function place(origin) {
    if (!origin) return "";
    return element("code", { title: origin.policy || "" }, origin.file, origin.line ? `:${origin.line}` : "");
}

export async function show(root, { path, options }) {
    const about = { user: options.user, host: options.host, at: options.at };
    if (path.length >= 2) return showKey(root, path, about);
    const input = (name, properties) => element("input", {
        name, value: about[name] || "", autocomplete: "off", ...properties
    });
    const form = element("form", {
        class: "bar card",
        onsubmit(event) {
            event.preventDefault();
            const chosen = Object.fromEntries([...new FormData(form)]
                .map(([name, text]) => [name, text.trim()])
                .filter(each => each[1]));
            cockpit.location.go(["force"], chosen);
        }
    },
    field(_("For whom"), input("user", { placeholder: _("me") })),
    field(_("On which host"), input("host", { placeholder: _("this one") })),
    field(_("When"), input("at", { placeholder: _("now, or Mon 11:00, 2026-12-24 …") })),
    element("button", { class: "primary" }, _("Show")));
    const search = element("input", { type: "search", oninput: () => draw(search.value), "aria-label": _("Search") });
    const [bar, answer] = [element("div"), element("div")];
    let [entries, contacts] = [[], new Map()];
    root.append(form, bar, answer);

    const notes = [];
    await load(answer, async signal => {
        const [shown, files] = await Promise.all([
            run([...asked(about), "policy", "show"], { signal, notes: words => notes.push(words) }),
            run([...asked(about), "policy", "list"], { signal, accept: [0, 4] })]);
        entries = shown;
        contacts = new Map(files.filter(file => file.contact).map(file => [file.policy, file.contact]));
        if (!shown.length && !files.length) return text(["policy", "list"], { signal });
        return null;
    }, absence => {
        if (Object.values(about).some(Boolean)) notes.unshift(_("As if: this is what would be in force, not what is."));
        if (notes.length) bar.append(element("p", { class: "notice" }, notes.join("\n").trim()));
        if (absence) return nothing(absence);
        bar.append(element("div", { class: "field wide" },
            element("label", {}, _("Search in domains, keys, values, titles"), search)));
        return list(entries, contacts, about);
    });

    let pending = null;
    function draw(words) {
        clearTimeout(pending);
        pending = setTimeout(() => {
            const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
            const found = entries.filter(entry => {
                const all = [entry.domain, entry.key, entry.title,
                    "value" in entry ? value(entry.value) : "", entry.origin?.policy]
                    .join("\n").toLowerCase();
                return parts.every(part => all.includes(part));
            });
            answer.replaceChildren(...list(found, contacts, about, parts.length > 0));
        }, 150);
    }
    return () => clearTimeout(pending);
}

/** The number of entries, and a folded table for each domain. */
function list(entries, contacts, about, isOpen = false) {
    const domains = new Map();
    for (const entry of entries) {
        if (!domains.has(entry.domain)) domains.set(entry.domain, []);
        domains.get(entry.domain).push(entry);
    }
    const forced = entries.filter(entry => entry.level === "forced" || entry.level === "absent").length;
    const head = element("p", { class: "quiet", role: "status" }, count("$0 forced key", "$0 forced keys", forced), ", ",
        count("$0 other entry", "$0 other entries", entries.length - forced), ", ",
        count("$0 domain", "$0 domains", domains.size));
    if (!entries.length) return [head, nothing(_("Nothing here."))];
    return [head, ...[...domains].map(([domain, own], index) => {
        const box = element("details", { class: "card", open: domains.size < 4 || (isOpen && index < 5) },
            element("summary", {}, element("strong", {}, domain), " ",
                element("span", { class: "quiet" }, String(own.length))));
        // The rows of a folded domain are made when it is opened.
        const fill = () => { if (box.open && box.children.length === 1) box.append(rows(own, contacts, about)) };
        box.addEventListener("toggle", fill);
        fill();
        return box;
    })];
}

/** The entries of a domain. */
function rows(entries, contacts, about) {
    const columns = [_("Key"), _("Value"), _("State"), _("Whom to ask"), _("File and line"), _("Loses")];
    return table(columns, entries, entry => [
        [entry.sealed || !entry.key ? element("em", {}, _("every other key"))
            : element("a", { href: "#" + cockpit.location.encode(["force", entry.domain, entry.key], clean(about)) },
                entry.key),
        entry.title && element("div", { class: "quiet" }, entry.title)],
        shown(entry),
        [mark(...(levels[entry.level] || [entry.level])), entry.lastGood && mark(_("last good copy"), "doubt"),
            entry.level === "waiver" && ` ${entry.state}${entry.until ? " – " + moment(entry.until) : ""}`],
        contacts.get(entry.origin?.policy) || entry.constraint?.contact || "",
        [entry.contributors || [entry.origin || entry.constraint?.origin]].flat()
            .map(origin => element("div", {}, place(origin))),
        (entry.losers || []).map(loser =>
            element("div", {}, element("span", { class: "loses" }, shown(loser)), " ", place(loser.origin))),
    ]);
}

/** The options that are there. */
const clean = about => Object.fromEntries(Object.entries(about).filter(each => each[1]));

/** Why one key is as it is. */
async function showKey(root, [domain, key], about) {
    const answer = element("div");
    const all = "#" + cockpit.location.encode(["force"], clean(about));
    root.append(element("p", {}, element("a", { href: all }, _("All that is in force"))), answer);
    // Another person's own settings are read by root; one's own never.
    const privileged = Boolean(about.user && administrator.allowed);
    const notes = [];
    await load(answer, signal => run([...asked(about), "explain", "--", domain, key],
        { signal, privileged, accept: [0, 1, 5], notes: words => notes.push(words) }), found => {
        const forced = found.forced;
        const winner = (found.layers || []).find(layer => layer.wins);
        const places = (found.layers || []).filter(hasSomething);
        const why = found.why || {};
        const facts = [
            [_("Value"), "value" in found || found.sensitive || found.unknown ? shown(found) : _("no value")],
            [_("Title"), found.title], [_("Description"), found.description],
            [_("Allowed"), found.constraint?.allowed], [_("Whom to ask"), why.contact || found.constraint?.contact],
            [_("Policy"), winner?.origin?.policy], [_("File and line"), winner?.origin && place(winner.origin)],
            [_("Since"), moment(why.time)], [_("By"), why.byHand ? _("changed by hand") : why.by], [_("Reason"), why.reason],
        ].filter(fact => fact[1]);
        const asIf = Object.values(about).some(Boolean);
        if (asIf) notes.unshift(_("As if: this is what would be in force, not what is."));
        return [
            notes.length > 0 && element("p", { class: "notice" }, notes.join("\n").trim()),
            element("div", { class: "card" },
                element("h2", {}, key, " ", element("span", { class: "quiet" }, domain)),
                element("p", {}, forced ? mark(_("forced"), "bad") : mark(_("not forced"), "good"), " ",
                    forced ? _("Only the administrator changes this; a control for it is grey.")
                        : found.constraint ? _("The person may change it within a limit.") : _("The person may change it.")),
                element("dl", {}, facts.map(([name, words]) => [element("dt", {}, name), element("dd", {}, words)]))),
            element("h2", {}, _("What is there, the first one wins")),
            table([_("Place"), _("Value"), _("State"), _("File and line")], places, layer => [
                [layers[layer.layer] || layer.layer,
                    layer.domain !== domain && element("div", { class: "quiet" }, layer.domain)],
                shown(layer),
                layer.wins ? mark(_("wins"), "good")
                    : layer.passedOver ? mark(_("not allowed"), "doubt") : _("hidden"),
                place(layer.origin)]),
            found.losers?.length > 0 && [element("h2", {}, _("What loses in policy")),
                table([_("Value"), _("File and line")], found.losers, loser => [shown(loser), place(loser.origin)])],
            found.waivers?.length > 0 && [element("h2", {}, _("Waivers")),
                table([_("State"), _("Until"), _("Reason"), _("File and line")], found.waivers,
                    waiver => [waiver.state, moment(waiver.until), waiver.reason || "", place(waiver.origin)])],
            found.skipped?.length > 0 && element("details", {}, element("summary", {}, _("Files that do not apply")),
                table([_("File"), _("Reason")], found.skipped, file => [element("code", {}, file.file), file.reason])),
            address(),
        ];
    });
}

/** Whether a place of the search list says something of the key. */
const hasSomething = layer => layer.wins || layer.absent || layer.problem || layer.sensitive || "value" in layer;

/** The address of this page, for a message to another person. */
function address() {
    let href = location.href;
    // The frame of Cockpit around this page has the address that others can open.
    try { if (parent !== window) href = parent.location.href.split("#")[0] + location.hash } catch { /* another origin */ }
    const words = element("input", { readonly: true, value: href, onfocus: () => words.select() });
    const copy = button(_("Copy"), () => { words.select(); document.execCommand("copy") });
    return element("div", { class: "bar card" },
        element("label", { class: "field wide" }, _("Address of this answer"), words),
        copy);
}
