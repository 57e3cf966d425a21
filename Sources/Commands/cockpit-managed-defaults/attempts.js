/** Attempts to change what is forced: live, by person, key and hour, and how the log is. */

import { _, count, fill, moment, value } from "./words.js";
import { button, element, failure, field, load, mark, nothing, table } from "./elements.js";
import { administrator, run, stream } from "./mdefaults.js";

/** The most rows of one reading, and of the live list. */
const [page, most] = [200, 1000];

const periods = () => [
    ["1h", _("the last hour")], ["1d", _("a day")], ["7d", _("7 days")],
    ["30d", _("30 days")], ["", _("all times")]];
const outcomes = () => ({
    refused: [_("refused: nothing was stored"), "good"], shadowed: [_("stored beneath, without effect"), "doubt"],
    clamped: [_("changed to what is allowed"), "doubt"], hidden: [_("a stored value, hidden by the forced one"), "doubt"],
});
const kinds = () => [
    ["override", _("attempts")], ["", _("all records")], ["policy", _("changes of policy")],
    ["grant", _("exams and grants")],
    ["damaged", _("damaged files")], ["drop", _("attempts that were not stored")], ["gap", _("gaps")]];
const states = () => ({
    intact: [_("The log is intact."), "good"], gaps: [_("The log is intact, and declares gaps."), "doubt"],
    altered: [_("The log was altered."), "bad"], truncated: [_("The log was truncated or set back."), "bad"],
    unchecked: [_("The log could not be checked."), "bad"], none: [_("Nothing was recorded yet."), ""],
});

export async function show(root, { options }) {
    const choices = (name, list, chosen) => element("select", { name, onchange: () => read() },
        list.map(([word, title]) => element("option", { value: word, selected: word === chosen }, title)));
    const input = name => element("input", {
        name, value: options[name] || "", type: "search", autocomplete: "off", onchange: () => read()
    });
    const form = element("form", { class: "bar card", onsubmit: event => { event.preventDefault(); read() } },
        field(_("Time"), choices("since", periods(), options.since ?? "7d")),
        field(_("What"), choices("kind", kinds(), options.kind ?? "override")),
        field(_("Person"), input("user")), field(_("Domain"), input("domain")), field(_("Key"), input("key")),
        element("button", {}, _("Show")));
    const [state, live, records] = [element("div"), element("div"), element("div")];
    let controller = null;
    root.append(form, state, live, records);

    /** The options of the command for what is chosen; `names` of the fields. */
    const words = names => names.filter(name => form.elements[name].value.trim())
        .map(name => `--${name}=${form.elements[name].value.trim()}`);
    const options_ = signal => ({ signal, privileged: Boolean(administrator.allowed) });
    const choose = (name, text) => { form.elements[name].value = text; read() };

    const number = signal => run(["audit", "count", ...words(["since"])], { ...options_(signal), accept: [0, 1, 4] });

    const filter = ["kind", "user", "domain", "key"];
    const readRecords = limit => load(records,
        signal => run(["audit", "list", "--limit", String(limit), ...words(["since", ...filter])],
            { ...options_(signal), accept: [0, 5] }), list => older(list, limit));

    async function read() {
        controller?.abort();
        const own = controller = new AbortController();
        const chosen = words(filter);
        live.replaceChildren();
        const [numbers, first] = await Promise.all([
            load(state, number, answer => summary(answer, choose)),
            readRecords(page)]);
        if (own !== controller) return;
        // One sentence says that the log cannot be read.
        if (numbers && isUnread(numbers)) records.replaceChildren();
        else if (first) {
            follow(own.signal, chosen, first.at(-1)?.seq ?? numbers?.log.records)
                .catch(error => own === controller && live.replaceChildren(failure(error)));
        }
    }

    /** The newest records first; a button reads ten times as many. */
    function older(list, limit) {
        const heading = element("h2", {}, _("Records"));
        if (!list.length) return [heading, nothing(_("There is no such record."))];
        const more = list.length === limit && element("p", {}, fill("These are the newest $0; there may be more.", limit), " ",
            button(_("Read more"), () => readRecords(limit * 10)));
        return [heading, more, rows(list.toReversed ? list.toReversed() : [...list].reverse())];
    }

    /** What is recorded after number `last`; drawn five times a second at most, however many there are. */
    async function follow(signal, chosen, last) {
        let [waiting, shown, total, timer, recount] = [[], [], 0, 0, 0];
        const status = element("p", { class: "quiet", role: "status" }, _("Live: new records appear here."));
        const list = element("div");
        live.replaceChildren(element("h2", {}, _("Now")), status, list);
        const draw = () => {
            timer = 0;
            shown = [...waiting.reverse(), ...shown].slice(0, most);
            waiting = [];
            status.textContent = count("$0 new record since this page was opened",
                "$0 new records since this page was opened", total)
                + (total > most ? `; ${fill("the newest $0 are shown.", most)}` : ".");
            list.replaceChildren(rows(shown));
            recount ||= setTimeout(renew, 5000);
        };
        // The numbers follow a little later, unless the keyboard is among them.
        const renew = () => number(signal).catch(() => null).then(answer => {
            recount = 0;
            if (!answer || signal.aborted || state.contains(document.activeElement)) return;
            state.replaceChildren(...[summary(answer, choose)].flat());
        });
        signal.addEventListener("abort", () => { clearTimeout(timer); clearTimeout(recount) });
        // Some that were listed already come again, so that none between both is left out.
        await stream(["audit", "tail", "--lines", "50", ...chosen], record => {
            if (!(record.seq > last)) return;
            total++;
            waiting.push(record);
            if (waiting.length > most) waiting.shift();
            timer ||= setTimeout(draw, 200);
        }, options_(signal));
    }

    read();
    return () => controller?.abort();
}

/** Whether the person may not read the log, so that numbers would be no answer. */
const isUnread = answer => answer.limits.length > 0 && answer.log.status === "unchecked";

/** The state of the log in words, and the numbers. */
function summary(answer, choose) {
    const [words, kind] = isUnread(answer)
        ? [_("You may not read the log, so what it has is unknown."), "doubt"]
        : states()[answer.log.status] || [answer.log.status, "doubt"];
    const head = element("div", { class: "card" },
        element("p", {}, mark(words, kind), " ",
            element("span", { class: "quiet" }, [answer.log.detail, ...answer.limits].join("\n"))),
        !isUnread(answer) && element("p", {}, count("$0 attempt in this time", "$0 attempts in this time", answer.attempts),
            answer.claimed > 0 && `, ${fill("and $0 more that only their senders claim", answer.claimed)}`,
            answer.dropped > 0 && `; ${fill("$0 were counted and not stored", answer.dropped)}`, "."));
    if (!answer.attempts && !answer.claimed) return head;
    const pick = (name, text) => button(text, () => choose(name, text.replace(/^uid /, "")),
        { class: "link", title: _("Only these") });
    const hours = answer.hour.map((number, hour) => [`${hour}–${hour + 1}`, number]).filter(each => each[1]);
    const part = (title, columns, items, row) => element("details", { class: "card", open: innerWidth > 768 },
        element("summary", {}, element("strong", {}, title), " ", element("span", { class: "quiet" }, String(items.length))),
        table(columns, items, row, { step: 10 }));
    return [head, element("div", { class: "columns" },
        part(_("By person"), [_("Person"), _("Attempts"), _("Keys")], answer.user, each => [
            pick("user", each.name), String(each.attempts + each.claimed), String(each.keys)]),
        part(_("By key"), [_("Key"), _("Attempts")], answer.key, each => [
            [each.domain, " ", each.key ? pick("key", each.key) : ""], String(each.attempts + each.claimed)]),
        hours.length > 0 && part(_("By hour"), [_("Hour of the machine"), _("Attempts")], hours,
            each => [each[0], String(each[1])]))];
}

/** Records as a table. */
function rows(list) {
    return table([_("Time"), _("Person"), _("Key"), _("Tried"), _("Forced"), _("What became of it"),
        _("Program")], list, record => [
        moment(record.time),
        element("span", { class: "name" }, record.user || (record.uid === undefined ? "" : `uid ${record.uid}`)),
        record.domain ? element("code", {}, record.domain, " ", record.key || "") : "",
        record.kind === "override" ? summaryOf(record.tried, _("removal")) : "",
        record.kind === "override" ? summaryOf(record.forced, _("no value")) : "",
        [become(record), record.policy?.file &&
            element("div", { class: "quiet" },
                `${record.policy.file}${record.policy.line ? `:${record.policy.line}` : ""}`)],
        element("code", {}, record.exe || record.unit || ""),
    ]);
}

/** What became of a record. */
function become(record) {
    const [words, kind] = record.kind === "override"
        ? outcomes()[record.outcome] || [record.outcome || "", ""]
        : [record.kind, ""];
    return [mark(words, kind), record.count > 1 && ` ${fill("$0 times", record.count)}`,
        ["client", "spool"].includes(record.src) && element("span", { class: "quiet" }, " ",
            record.src === "spool" ? _("kept by the person's own account") : _("as the program says")),
        record.note && element("div", {}, record.note)];
}

/** A value of a record, or its digest. */
function summaryOf(item, absence) {
    if (item === undefined) return element("em", {}, absence);
    if (item?.sensitive) return element("em", {}, _("(sensitive)"));
    if (item?.sha256) return element("em", {}, `${item.type}, ${count("$0 byte", "$0 bytes", item.size)}`);
    return element("code", {}, value(item));
}
