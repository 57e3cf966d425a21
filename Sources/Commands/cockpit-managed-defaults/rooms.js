/** The rooms of a fleet, where this machine is its centre. */

import { _, cockpit, fill, moment } from "./words.js";
import { element, load, mark, nothing, table } from "./elements.js";
import { administrator, run } from "./mdefaults.js";

/** Whether a centre is installed here, which everybody may see. */
export const available = () => cockpit.spawn(["test", "-d", "/var/lib/managed-defaults-fleet/hosts"], { err: "ignore" })
    .then(() => true, () => false);

const states = () => ({
    alarm: [_("alarm"), "bad"], toMend: [_("to mend"), "doubt"],
    silent: [_("silent"), "doubt"], inOrder: [_("in order"), "good"]
});

export async function show(root) {
    const body = element("div");
    root.append(body);
    const isAdministrator = Boolean(administrator.allowed);
    await load(body, signal => run(["fleet", "status"], { signal, privileged: isAdministrator, accept: [0, 1] }), fleet => {
        const numbers = ["alarm", "toMend", "silent", "inOrder"];
        const columns = [_("Room"), _("Machines"), ...numbers.map(name => states()[name][0])];
        return [
            element("p", { class: "card" },
                mark(fleet.inOrder ? _("in order") : _("not in order"), fleet.inOrder ? "good" : "bad"), " ",
                fleet.sentence,
                fleet.published && element("span", { class: "quiet" }, " ", fill(
                    "Policy $0.$1, published $2.",
                    fleet.published.epoch, fleet.published.serial, moment(fleet.published.issued)))),
            fleet.rooms.length ? table(columns, fleet.rooms, room => [
                room.room || _("(no room)"), String(room.hosts),
                ...numbers.map(name => room[name] ? mark(String(room[name]), states()[name][1]) : "0")])
                : nothing(_("No machine is enrolled.")),
            // Names are for administrators.
            isAdministrator ? details(fleet)
                : element("p", { class: "quiet" }, _("Administrators see the names of machines here.")),
        ];
    });
}

/** The alarms and the hosts. */
function details(fleet) {
    const order = ["alarm", "silent", "toMend", "inOrder"];
    const hosts = [...fleet.hosts].sort((left, right) => order.indexOf(left.state) - order.indexOf(right.state));
    return [
        fleet.problems.length > 0 && element("p", { class: "notice" }, fleet.problems.join("\n")),
        fleet.alarms.length > 0 && [element("h2", {}, _("Alarms")),
            table([_("Time"), _("Machine"), _("What")], fleet.alarms, alarm => [
                moment(alarm.time), alarm.host, [mark(alarm.word, "bad"), " ", alarm.sentence]])],
        element("h2", {}, _("Machines")),
        table([_("Machine"), _("Room"), _("State"), _("Seen"), _("Exams"), _("What")], hosts, host => [
            host.host, host.known.room || host.says?.room || "", mark(...states()[host.state]), moment(host.known.seen),
            (host.says?.exams || []).join(", "), host.findings.map(finding => element("div", {}, finding.words))]),
    ];
}
