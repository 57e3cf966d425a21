import MDPropertyList
import MDTools

/// Hosts by room, and the whole fleet in a sentence.
extension FleetView {
    /// The hosts of a room.
    package struct Room: Sendable {
        /// The name; empty for hosts without room.
        package let name: String
        /// The hosts, in natural order.
        package fileprivate(set) var hosts: [FleetHostView] = []

        /// The name for people.
        package var title: String { name.isEmpty ? "(no room)" : name }

        /// How many hosts are in a state.
        package func count(_ state: HostCondition) -> Int { hosts.count { $0.state == state } }
    }

    /// The rooms in natural order; hosts without room come last.
    package var rooms: [Room] { rooms(\.room) }

    /// The rooms for people that are to read no name of a person.
    package var publicRooms: [Room] { rooms(\.publicRoom) }

    private func rooms(_ name: (FleetHostView) -> String) -> [Room] {
        var rooms: [Key: Room] = [:]
        for host in hosts {
            let name = name(host)
            rooms[Key(name), default: Room(name: name)].hosts.append(host)
        }
        return rooms.values.sorted { left, right in
            left.name.isEmpty != right.name.isEmpty
                ? right.name.isEmpty : NaturalOrder.isLess(left.name, right.name)
        }
    }

    /// How many hosts are in a state.
    package func count(_ state: HostCondition) -> Int { hosts.count { $0.state == state } }

    /// Whether every host is in order, and everything could be read; never of a fleet without hosts.
    package var isGood: Bool { !hosts.isEmpty && alarms.isEmpty && problems.isEmpty && count(.good) == hosts.count }

    /// The gravest state in the fleet.
    package var state: HostCondition {
        if !alarms.isEmpty || count(.alarm) > 0 { return .alarm }
        return isGood ? .good : count(.silent) > 0 ? .silent : .mend
    }

    /// What the states mean; `noun` is what a host is called.
    package static func meanings(_ noun: String) -> [String] {
        [
            "In order: something of the \(noun) arrived in the last \(HostHead.silentAfter / 60) minutes, it "
                + "contradicts no record that this centre has of it, and it says that it is compliant.",
            "To mend: the \(noun) says that something is not as it should be, or does not say that all is.",
            "Silent: nothing of the \(noun) arrived in that time, or ever. It may be switched off.",
            "Alarm: what the \(noun) sent does not fit what this centre has of it. Somebody must look at it.",
            "What arrived and what was compared is known here; what a \(noun) says of itself is its own word. A room is that of "
                + "the enrolment, else what the \(noun) says.",
        ]
    }

    /// The fleet in a sentence or two, without names; `noun` is what a host is called.
    package func sentence(_ noun: String = "host") -> String {
        guard !hosts.isEmpty else { return "No \(noun) is enrolled." }
        let good = count(.good)
        var sentence: String
        if good == hosts.count {
            sentence = good == 1 ? "The only \(noun) is in order." : "All \(good) \(noun)s are in order."
        } else {
            let verb = good == 1 || hosts.count == 1 ? "is" : "are"
            sentence = "\(good) of \(Plural.count(hosts.count, noun)) \(verb) in order; "
            let others: [(HostCondition, String, String)] = [
                (.alarm, "has an alarm", "have an alarm"), (.silent, "is silent", "are silent"),
                (.mend, "needs mending", "need mending"),
            ]
            sentence +=
                others.compactMap { state, one, many in
                    let count = count(state)
                    return count == 0 ? nil : "\(count) \(count == 1 ? one : many)"
                }.joined(separator: ", ") + "."
        }
        let names = Set(hosts.map(\.host))
        let others = alarms.count { !names.contains($0.host) }
        if others == 1 { sentence += " 1 alarm of a name that is not enrolled." }
        if others > 1 { sentence += " \(others) alarms of names that are not enrolled." }
        if !problems.isEmpty {
            sentence += " \(Plural.count(problems.count, "file")) of the centre could not be read, so this is not all."
        }
        let newest = hosts.compactMap(\.head.seen).max()
        if let newest, count(.silent) == hosts.count {
            sentence +=
                " Nothing has arrived since \(FleetTime.words(newest)): look first at whether fleet collect runs."
        }
        return sentence
    }
}
