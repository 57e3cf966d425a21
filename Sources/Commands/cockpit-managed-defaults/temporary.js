/** Exams and grants: what is in force until when and for whom, and the people that are logged in without sitting it. */

import { _, cockpit, count, fill, moment } from "./words.js";
import { button, element, field, load, mark, nothing, question, table } from "./elements.js";
import { administrator, run } from "./mdefaults.js";

/** How often a page that is looked at asks again, in milliseconds. */
const pause = 15000;
/** The longest end that the command takes, in hours. */
const longest = 366 * 24;

/** The person of the session, and what they may do: by their delegations, or all of it by Cockpit's step. */
class Person {
    constructor(name, delegations) {
        this.name = name;
        this.isAdministrator = Boolean(administrator.allowed);
        this.isUnknown = delegations.some(each => each.mine === undefined);
        this.own = delegations.filter(each => each.mine);
    }

    mayEnd(by) { return this.isAdministrator || by === this.name }
    options(signal) { return { signal, privileged: this.isAdministrator } }
}

/** Reads everything of the view. */
async function read(signal, earlier) {
    const list = { signal, accept: [0, 1] };
    // Reasons of grants are for administrators and the person.
    const [exams, grants] = await Promise.all([run(["policy", "exam", "list"], list),
        run(["policy", "grant", "list"], { ...list, privileged: Boolean(administrator.allowed) })]);
    if (earlier) return { ...earlier, exams, grants };
    const [sets, delegations, user, clocks] = await Promise.all([
        run(["policy", "exam", "sets"], list), run(["policy", "delegates"], { signal, accept: [0, 1, 5] }), cockpit.user(),
        cockpit.spawn(["date", "+%s %z"], { err: "ignore" }).then(clockNotes, () => [])]);
    return { exams, grants, sets, clocks, person: new Person(user.name, delegations) };
}

/** Sentences about a browser whose zone or clock is not that of the machine, whose seconds and offset `text` has. */
function clockNotes(text) {
    const [, seconds, sign, hours, minutes] = /^(\d+) ([+-])(\d\d)(\d\d)$/.exec(text.trim()) || [];
    if (!seconds) return [];
    const behind = (sign === "-" ? 1 : -1) * (Number(hours) * 60 + Number(minutes));
    const wrong = Math.round(Math.abs(Date.now() / 1000 - Number(seconds)) / 60);
    return [
        behind !== new Date().getTimezoneOffset()
            && fill("Times on this page are those of this browser, $0; the machine is in another time zone.", zone()),
        wrong > 1 && fill("The clocks of this browser and of the machine differ by $0 minutes. That of the machine counts.",
            wrong),
    ].filter(Boolean);
}

/** The time zone of the browser, in which the page shows and takes times. */
const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

export async function show(root) {
    const body = element("div");
    const controller = new AbortController();
    let [state, timer] = [null, 0];
    const draw = answer => {
        state = answer;
        return [...answer.clocks.map(words => element("p", { class: "notice" }, words)),
            examPart(answer, reload), grantPart(answer, reload)];
    };
    const reload = () => body.isConnected && load(body, signal => read(signal), draw);
    root.append(body);
    await reload();
    const again = async () => {
        // The list is drawn again only if something changed, so that the keyboard stays where it is.
        const before = state;
        if (before && !document.hidden && !document.querySelector("dialog")) {
            const next = await read(controller.signal, before).catch(() => null);
            // What the person did meanwhile was asked about later.
            const isCurrent = next && before === state && !controller.signal.aborted && !document.querySelector("dialog");
            if (isCurrent && JSON.stringify([next.exams, next.grants]) !== JSON.stringify([state.exams, state.grants])) {
                body.replaceChildren(...draw(next));
            }
        }
        if (!controller.signal.aborted) timer = setTimeout(again, pause);
    };
    timer = setTimeout(again, pause);
    return () => { controller.abort(); clearTimeout(timer) };
}

// MARK: Exams

/** The exams, and the button that starts one. */
function examPart(state, reload) {
    const { exams, sets, person } = state;
    const [running, over] = [exams.filter(exam => !exam.ended), exams.filter(exam => exam.ended)];
    const startable = offers(sets, person);
    return element("section", {},
        element("div", { class: "bar" }, element("h2", { class: "grow" }, _("Exams")),
            startable.length > 0 && button(_("Start an exam"), () => start(startable, person, reload), { class: "primary" })),
        running.length ? running.map(exam => examCard(exam, person, reload)) : nothing(_("No exam is in force.")),
        !startable.length && element("p", { class: "quiet" }, !sets.length
            ? _("No set is installed that could be started: sets are in /etc/managed-defaults/sets.d.")
            : person.isUnknown ? _("Which exams you may start is unknown, because the directory does not answer.")
                : _("You may start no exam: administrators may, and the persons that delegates.json names.")),
        over.length > 0 && element("details", {},
            element("summary", {}, count("$0 exam that has ended", "$0 exams that have ended", over.length)),
            table([_("Set"), _("Ended"), _("By"), _("Reason")], over,
                exam => [exam.set, moment(exam.until), exam.by, exam.reason])));
}

/** A running exam. */
function examCard(exam, person, reload) {
    const sessions = exam.sessions || [];
    const of = sits => sessions.filter(each => each.sits === sits).map(each => each.user);
    const [inside, outside, unknown] = [of(true), of(false), of(undefined)];
    const end = exam.until ? fill("until $0", moment(exam.until)) : _("until the next boot");
    return element("article", { class: "card" },
        element("div", { class: "bar" },
            element("h3", { class: "grow" }, exam.set, " ", mark(end, "good")),
            person.mayEnd(exam.by) && button(_("End"), () => question({
                title: fill("End the exam $0?", exam.set), label: _("End it now"), danger: true,
                body: element("p", {}, fill(
                    "It is in force $0, for $1. What it forces ends at once, in running programs too.", end, people(exam.for))),
                action: signal => run(["policy", "exam", "stop", "--", exam.set], person.options(signal))
            }).then(done => done && reload()), { "aria-label": fill("End the exam $0", exam.set) })),
        element("dl", {},
            row(_("Sits it"), people(exam.for)),
            exam.by && row(_("Started by"), exam.by),
            exam.reason && row(_("Reason"), exam.reason),
            row(_("Logged in and in it"), names(inside)),
            row(_("Logged in and not in it"),
                outside.length ? element("span", { class: "outside" }, names(outside)) : _("nobody")),
            unknown.length > 0 && row(_("Logged in, unknown if in it"), names(unknown))));
}

const row = (title, text) => [element("dt", {}, title), element("dd", {}, text)];

/** Names, the first twenty of many, with the rest behind a line that says how many there are. */
function names(list) {
    if (!list.length) return _("nobody");
    if (list.length <= 20) return list.join(", ");
    return element("details", {}, element("summary", {}, count("$0 person", "$0 persons", list.length)), list.join(", "));
}

/** Some people in words. */
function people({ users = [], groups = [], everybody } = {}) {
    if (everybody) return _("everybody");
    return [groups.length && fill("group $0", groups.join(", ")), users.length && fill("user $0", users.join(", "))]
        .filter(Boolean).join(", ") || _("nobody");
}

/** What a person may start: each set with each audience and the hours that a delegation gives. */
function offers(sets, person) {
    return sets.flatMap(set => {
        if (person.isAdministrator) return [{ set, hours: longest, whom: null }];
        return person.own.filter(each => each.sets.includes(set.set)).map(each => ({ set, hours: each.hours, whom: each.for }));
    });
}

/** The people that may sit it: words of the command with a title, or an option whose names are typed. */
function audiences(offer) {
    const { whom } = offer;
    if (!whom) {
        return [
            { words: [], title: fill("as the set says: $0", people(offer.set.for)) },
            { words: ["--everybody"], title: _("everybody") },
            { option: "--group", title: _("groups …") }, { option: "--users", title: _("users …") }];
    }
    return [...(whom.everybody ? [{ words: ["--everybody"], title: _("everybody") }] : []),
        ...whom.groups.map(group => ({ words: [`--group=${group}`], title: fill("group $0", group) })),
        ...(whom.users.length
            ? [{ words: [`--users=${whom.users.join(",")}`], title: fill("user $0", whom.users.join(", ")) }]
            : []),
        { option: "--users", title: _("some of them …") }];
}

/** A select of things with titles; `chosen()` is one of them. */
function select(items, onchange) {
    const input = element("select", { onchange },
        items.map((item, index) => element("option", { value: String(index) }, item.title)));
    return { input, chosen: () => items[Number(input.value)] };
}

/** A field for an end, at most so many hours ahead: `limit(hours)` changes that, `words()` are the option. */
function endField() {
    const local = date => new Date(date - date.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
    const note = element("small");
    const input = element("input", { type: "datetime-local", required: true });
    const node = element("label", { class: "field" }, element("span", {}, _("Until")), input, note);
    return {
        node, words: () => ["--until", new Date(input.value).toISOString()],
        limit(hours) {
            const now = Date.now();
            const last = new Date(now + hours * 3600000);
            [input.min, input.max] = [local(new Date(now + 60000)), local(last)];
            if (!input.value || input.value > input.max) input.value = local(new Date(now + Math.min(1.5, hours) * 3600000));
            note.textContent = hours < longest
                ? count("The delegation gives $0 hour", "The delegation gives $0 hours", hours)
                    + ": " + fill("at most until $0.", moment(last.toISOString()))
                : _("At most 366 days.");
            note.append(" ", fill("Time zone: $0.", zone()));
        }
    };
}

/** Asks what to start, and starts it. */
async function start(startable, person, reload) {
    const chosen = select(startable.map(offer => ({
        ...offer,
        title: [offer.set.set, offer.set.description,
            offer.whom && startable.filter(each => each.set === offer.set).length > 1 && people(offer.whom)]
            .filter(Boolean).join(" – ")
    })), () => turn());
    const [whom, end] = [element("div"), endField()];
    const reason = element("input", { autocomplete: "off", maxlength: "200" });
    const boot = element("input", { type: "checkbox" });
    const agree = element("input", { type: "checkbox" });
    const agreement = element("label", { hidden: true }, agree, " ", _("Yes, that is meant: start it all the same"));
    const problem = element("p", { class: "notice", hidden: true });
    let audience = null;
    const typed = element("input", { autocomplete: "off", "aria-label": _("Names, with commas between them") });
    function turn() {
        const offer = chosen.chosen();
        end.limit(offer.hours);
        problem.hidden = !offer.set.problem;
        problem.textContent = offer.set.problem || "";
        audience = select(audiences(offer), pick);
        whom.replaceChildren(field(_("Who sits it"), audience.input), typed);
        pick();
    }
    function pick() {
        typed.hidden = typed.disabled = !audience.chosen().option;
        typed.required = !typed.hidden;
        ask();
    }
    // What was agreed to is what was asked about, so that a change of it is asked about again.
    function ask() {
        agreement.hidden = true;
        agree.checked = false;
    }
    for (const node of [end.node, typed]) node.addEventListener("input", ask);
    turn();
    const answer = await question({
        title: _("Start an exam"), label: _("Start"),
        body: [field(_("Set"), chosen.input), problem, whom, end.node, field(_("Reason"), reason),
            element("label", {}, boot, " ", _("The next boot ends it")), agreement],
        async action(signal) {
            const { option, words } = audience.chosen();
            const people = option
                ? [`${option}=${typed.value.split(",").map(name => name.trim()).filter(Boolean).join(",")}`]
                : words;
            try {
                return await run(["policy", "exam", "start", ...end.words(), ...people,
                    ...(boot.checked ? ["--until-boot"] : []),
                    ...(reason.value ? [`--reason=${reason.value}`] : []), ...(agree.checked ? ["--yes"] : []), "--",
                    chosen.chosen().set.set], { ...person.options(signal), accept: [0] });
            } catch (error) {
                // The command asks about what is unusual, where it could ask: here the box is the answer.
                const lines = error.message.split("\n");
                agreement.hidden = error.status !== 2 || !lines.some(line => line.includes("--yes"));
                error.message = lines.filter(line => !line.includes("--yes")).join("\n");
                throw error;
            }
        }
    });
    if (!answer) return;
    await reload();
    const notes = started(answer);
    if (notes.length) {
        await question({
            title: fill("The exam $0 is in force", answer.set),
            body: element("ul", {}, notes.map(note => element("li", {}, note)))
        });
    }
}

/** What the start of an exam says that a teacher has to know. */
function started({ sessions = [], exceptions = [], idle = [], beaten = [], shortened = [] }) {
    const outside = sessions.filter(each => each.sits === false).map(each => each.user);
    const restarts = sessions.filter(each => each.restart?.length);
    const kinds = {
        lifts: "$0 $1 is free all the same, by $2.", beats: "Another file decides $0 $1: $2.",
        suspends: "The grant of $0 $1 does not count meanwhile: $2."
    };
    return [
        outside.length && fill("Logged in, and not in it: $0.", outside.join(", ")),
        ...restarts.map(each => fill(
            "$0 has to start again: $1. It reads policy only when it starts.", each.user, each.restart.join(", "))),
        ...exceptions.map(each => fill(kinds[each.kind] || "$0 $1: $2", each.domain, each.key, each.file)),
        ...idle.map(each => fill("$0 applies to nobody here: $1.", each.file, each.reason)),
        ...beaten.map(file => fill("$0 is beaten by another file.", file)),
        ...shortened.map(each => fill("$0 ends earlier: $1.", each.file, moment(each.until))),
    ].filter(Boolean);
}

// MARK: Grants

/** The grants, and the button that gives one. */
function grantPart({ grants, person }, reload) {
    const keys = person.own.flatMap(each => Object.entries(each.keys).flatMap(([domain, own]) => own.map(key =>
        ({ domain, key, hours: each.hours, title: `${domain} ${key} (${people(each.for)})` }))));
    const columns = [_("Person"), _("Key"), _("What"), _("Until"), _("By"), _("Reason"), ""];
    return element("section", {},
        element("div", { class: "bar" }, element("h2", { class: "grow" }, _("Grants")),
            (person.isAdministrator || keys.length > 0) && button(_("Give a grant"), () => give(keys, person, reload))),
        grants.length ? table(columns, grants, grant => [
            grant.user, [element("code", {}, grant.domain, " ", grant.key)],
            grant.free ? _("free") : _("forced to another value"),
            grant.ended ? fill("ended $0", moment(grant.until)) : grant.until ? moment(grant.until) : _("until the next boot"),
            grant.by, grant.reason,
            !grant.ended && person.mayEnd(grant.by) && button(_("End"), () => question({
                title: fill("End the grant of $0 to $1?", `${grant.domain} ${grant.key}`, grant.user),
                label: _("End it now"), danger: true,
                action: signal =>
                    run(["policy", "grant", "revoke", `--user=${grant.user}`, "--", grant.domain, grant.key],
                        person.options(signal))
            }).then(done => done && reload()),
            { "aria-label": fill("End the grant of $0 to $1", grant.key, grant.user) }) || "",
        ]) : nothing(_("No grant is in force.")));
}

/** Asks what to grant, and grants it. */
async function give(keys, person, reload) {
    const text = properties => element("input", { autocomplete: "off", required: true, ...properties });
    const [user, domain, key, reason] = [text(), text(), text(), text({ maxlength: "200" })];
    const value = text({ required: false });
    const end = endField();
    const chosen = select(keys, () => end.limit(chosen.chosen().hours));
    end.limit(person.isAdministrator ? longest : keys[0].hours);
    const done = await question({
        title: _("Give a grant"), label: _("Grant"),
        body: [field(_("Person"), user),
            ...(person.isAdministrator
                ? [field(_("Domain"), domain), field(_("Key"), key),
                    field(_("Value"), value, _("Without one the key is free for this person."))]
                : [field(_("Key"), chosen.input)]),
            end.node, field(_("Reason"), reason, _("The person and administrators read it."))],
        action(signal) {
            const what = person.isAdministrator ? [domain.value, key.value, ...(value.value ? [value.value] : [])]
                : [chosen.chosen().domain, chosen.chosen().key];
            return run(["policy", "grant", ...end.words(), `--user=${user.value}`, `--reason=${reason.value}`,
                "--yes", "--", ...what],
                person.options(signal));
        }
    });
    if (done) reload();
}
