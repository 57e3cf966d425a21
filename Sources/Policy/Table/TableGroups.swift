import PropertyList

/// Everything that the policy files of a machine say, sorted by key as a compiled table holds it.
///
/// Items refer to the files' own arrays, so that a hundred thousand of them are gathered without copying any.
struct TableGroups {
    /// One thing that a file says of a key.
    struct Item {
        /// The place of the file in order of application.
        let file: Int
        /// Which of the file's arrays it stands in.
        let list: List
        /// Its place in that array.
        let index: Int
        /// The next item of the same key, in order of application; negative at the end.
        var next = -1
    }

    /// The arrays of a policy file.
    enum List {
        /// Its entries.
        case entries
        /// Its constraints.
        case constraints
        /// Its operators.
        case combine
        /// Its waivers.
        case waivers
        /// Its seals.
        case seals
    }

    /// All that is said of one key.
    struct Group {
        /// The place of the domain among all.
        let place: Int
        /// The domain.
        let domain: Key
        /// The key; empty for the seals of the domain.
        let key: Key
        /// The first item; negative without one.
        var first = -1
        /// The last item; negative without one.
        var last = -1
        /// How many items there are.
        var count = 0
        /// What people are told.
        var metadata: KeyMetadata?
    }

    /// The policy files, in order of application.
    let policies: [PolicyFile]
    /// All items.
    private(set) var items: [Item] = []
    /// The groups, in the order in which the files first name them.
    private(set) var groups: [Group] = []
    /// The groups that each file has a part in, in the order in which it names them.
    private(set) var ofFiles: [[Int]] = []
    /// The places of the domains in ``keys``.
    private var domains: [Key: Int] = [:]
    /// The groups of each domain, by key.
    private var keys: [[Key: Int]] = []
    /// The domain that was asked for last, and its place: neighbours mostly share it.
    private var last: (domain: Key, place: Int)?

    /// Gathers what files say.
    ///
    /// The result is `nil` where an origin is not of its file.
    init?(_ policies: [PolicyFile]) {
        self.policies = policies
        for (file, policy) in policies.enumerated() {
            ofFiles.append([])
            var areOwn = true
            /// Adds an item, and checks that the table can give its origin back.
            func note(_ domain: Key, _ key: Key, _ origin: Origin, _ list: List, _ index: Int) {
                areOwn = areOwn && origin.policy == policy.identifier && origin.file == policy.path
                add(Item(file: file, list: list, index: index), to: group(domain, key))
            }
            for (index, entry) in policy.entries.enumerated() {
                note(entry.domain, entry.key, entry.origin, .entries, index)
            }
            for (index, entry) in policy.constraints.enumerated() {
                note(entry.domain, entry.key, entry.origin, .constraints, index)
            }
            for (index, entry) in policy.combine.enumerated() {
                note(entry.domain, entry.key, entry.origin, .combine, index)
            }
            for (index, waiver) in policy.waivers.enumerated() {
                note(waiver.domain, waiver.key, waiver.origin, .waivers, index)
            }
            for (index, seal) in policy.seals.enumerated() {
                note(seal.domain, Key(""), seal.origin, .seals, index)
            }
            if !areOwn { return nil }
        }
        let metadata = FilesInForce.metadata(of: policies)
        for domain in metadata.keys.sorted() {
            for (key, fact) in (metadata[domain] ?? [:]).sorted(by: { $0.key < $1.key }) {
                groups[group(domain, key)].metadata = fact
            }
        }
    }

    /// The groups of each domain, in the order in which the files first name them.
    var byDomain: [[Int]] {
        var result = [[Int]](repeating: [], count: keys.count)
        for (index, keys) in keys.enumerated() { result[index].reserveCapacity(keys.count) }
        for (index, group) in groups.enumerated() { result[group.place].append(index) }
        return result
    }

    /// The group of a key, made where there is none.
    private mutating func group(_ domain: Key, _ key: Key) -> Int {
        let place: Int
        if let last, last.domain == domain {
            place = last.place
        } else if let known = domains[domain] {
            place = known
        } else {
            place = keys.count
            domains[domain] = place
            keys.append([:])
        }
        last = (domain, place)
        if let known = keys[place][key] { return known }
        keys[place][key] = groups.count
        groups.append(Group(place: place, domain: domain, key: key))
        return groups.count - 1
    }

    /// Puts an item behind the others of a group.
    private mutating func add(_ item: Item, to group: Int) {
        let (index, last) = (items.count, groups[group].last)
        items.append(item)
        if last >= 0 { items[last].next = index } else { groups[group].first = index }
        // The items of a file come together, so its part in a group shows in the item before.
        if last < 0 || items[last].file != item.file { ofFiles[item.file].append(group) }
        groups[group].last = index
        groups[group].count += 1
    }
}
