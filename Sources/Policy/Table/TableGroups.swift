import PropertyList

/// Everything that the policy files of a machine say, sorted by key as a compiled table holds it.
///
/// Items refer to the files' own arrays, so that a hundred thousand of them are gathered without copying any. Files,
/// items and groups are numbered in 32 bits, which are enough for what a table can hold.
struct TableGroups {
    /// One thing that a file says of a key.
    struct Item {
        /// The place of the file in order of application.
        let file: Int32
        /// Its place in the file's array.
        let index: Int32
        /// The next item of the same key, in order of application; negative at the end.
        var next: Int32 = -1
        /// Which of the file's arrays it stands in.
        let list: List
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
        /// The first item; negative without one.
        var first: Int32 = -1
        /// The last item; negative without one.
        var last: Int32 = -1
        /// How many items there are.
        var count: Int32 = 0
    }

    /// The policy files, in order of application.
    let policies: [PolicyFile]
    /// All items.
    private(set) var items: [Item] = []
    /// The groups, in the order in which the files first name them; the seals of a domain are those of the empty key.
    private(set) var groups: [Group] = []
    /// The names of the groups, by their numbers.
    private(set) var names: NameNumbers
    /// What people are told about the keys of groups.
    private(set) var metadata: [Int: KeyMetadata] = [:]
    /// The groups that each file has a part in, file by file, in the order in which it names them.
    private var parts: [Int32] = []
    /// Where the groups of each file end.
    private var ends: [Int] = []

    /// Gathers what files say.
    ///
    /// The result is `nil` where an origin is not of its file.
    init?(_ policies: [PolicyFile]) {
        self.policies = policies
        let count = policies.reduce(0) { $0 + $1.entries.count }
        names = NameNumbers(minimumCapacity: count)
        items.reserveCapacity(count)
        groups.reserveCapacity(count)
        parts.reserveCapacity(count)
        for (file, policy) in policies.enumerated() {
            var isOwn = true
            // Fields by index: a loop over the entries would copy each whole.
            let entries = policy.entries
            for index in entries.indices {
                isOwn = isOwn && policy.has(entries[index].origin)
                add(entries[index].domain, entries[index].key, file, .entries, index)
            }
            for (index, item) in policy.constraints.enumerated() {
                isOwn = isOwn && policy.has(item.origin)
                add(item.domain, item.key, file, .constraints, index)
            }
            for (index, item) in policy.combine.enumerated() {
                isOwn = isOwn && policy.has(item.origin)
                add(item.domain, item.key, file, .combine, index)
            }
            for (index, item) in policy.waivers.enumerated() {
                isOwn = isOwn && policy.has(item.origin)
                add(item.domain, item.key, file, .waivers, index)
            }
            for (index, item) in policy.seals.enumerated() {
                isOwn = isOwn && policy.has(item.origin)
                add(item.domain, Key(""), file, .seals, index)
            }
            if !isOwn { return nil }
            ends.append(parts.count)
        }
        let metadata = FilesInForce.metadata(of: policies)
        for domain in metadata.keys.sorted() {
            for (key, fact) in (metadata[domain] ?? [:]).sorted(by: { $0.key < $1.key }) {
                self.metadata[group(domain, key)] = fact
            }
        }
    }

    /// The groups that a file has a part in, in the order in which it names them.
    func groups(ofFile file: Int) -> ArraySlice<Int32> { parts[(file == 0 ? 0 : ends[file - 1])..<ends[file]] }

    /// The groups domain by domain, in the order in which the files first name them, and where those of each end.
    var byDomain: (groups: [Int32], ends: [Int]) {
        var ends = [Int](repeating: 0, count: names.domains.count)
        for name in names.names { ends[name.domain] += 1 }
        var next: [Int] = []
        var end = 0
        for (domain, count) in ends.enumerated() {
            next.append(end)
            end += count
            ends[domain] = end
        }
        var sorted = [Int32](repeating: 0, count: names.names.count)
        for (group, name) in names.names.enumerated() {
            sorted[next[name.domain]] = Int32(truncatingIfNeeded: group)
            next[name.domain] += 1
        }
        return (sorted, ends)
    }

    /// The group of a key, made where there is none.
    private mutating func group(_ domain: Key, _ key: Key) -> Int {
        let number = names.number(domain, key)
        if number == groups.count { groups.append(Group()) }
        return number
    }

    /// Puts an item behind the others of its key.
    private mutating func add(_ domain: Key, _ key: Key, _ file: Int, _ list: List, _ index: Int) {
        let group = group(domain, key)
        let last = groups[group].last
        let place = Int32(truncatingIfNeeded: items.count)
        let file = Int32(truncatingIfNeeded: file)
        items.append(Item(file: file, index: Int32(truncatingIfNeeded: index), list: list))
        if last >= 0 { items[Int(last)].next = place } else { groups[group].first = place }
        // The items of a file come together, so its part in a group shows in the item before.
        if last < 0 || items[Int(last)].file != file { parts.append(Int32(truncatingIfNeeded: group)) }
        groups[group].last = place
        groups[group].count += 1
    }
}

extension PolicyFile {
    /// Whether an origin is of this file, so that a table can give it back.
    fileprivate func has(_ origin: Origin) -> Bool {
        origin.source === source || (origin.policy == identifier && origin.file == path)
    }
}
