import PropertyList

extension TableReader {
    /// Takes the clauses of a target, whose names bring along what is known of them.
    mutating func clauses() throws(TableError) -> Target.Clauses {
        let users = try items()
        let groups = try items()
        var hosts: [HostPattern]?
        if try truth() {
            var patterns: [HostPattern] = []
            for _ in 0..<(try count()) {
                let position = try position()
                guard let pattern = HostPattern(try text(), position: position) else {
                    throw TableError("a host pattern is none")
                }
                patterns.append(pattern)
            }
            hosts = patterns
        }
        return Target.Clauses(users: users, groups: groups, hosts: hosts, tags: try items())
    }

    /// Takes a clause of names, each with what is known of it.
    private mutating func items() throws(TableError) -> [TargetName]? {
        guard try truth() else { return nil }
        var items: [TargetName] = []
        for _ in 0..<(try count()) {
            let position = try position()
            let name = Key(try text())
            let state: NameTable.State = try truth() ? .id(try word()) : .unknown
            items.append(TargetName(name, position: position, state: state))
        }
        return items
    }
}

extension TableWriter {
    /// Appends the clauses of a target.
    mutating func clauses(_ clauses: Target.Clauses, names: NameTable) {
        items(clauses.users) { names.user($0) }
        items(clauses.groups) { names.group($0) }
        byte(clauses.hosts == nil ? 0 : 1)
        if let hosts = clauses.hosts {
            count(hosts.count)
            for host in hosts {
                position(host.position)
                text(host.text)
            }
        }
        // Tags have no ids.
        items(clauses.tags) { _ in .unknown }
    }

    /// Appends a clause of names.
    private mutating func items(_ names: [TargetName]?, state: (Key) -> NameTable.State) {
        byte(names == nil ? 0 : 1)
        guard let names else { return }
        count(names.count)
        for item in names {
            position(item.position)
            text(item.name.string)
            switch state(item.name) {
            case .id(let id):
                byte(1)
                word(id)
            case .unknown: byte(0)
            }
        }
    }
}
