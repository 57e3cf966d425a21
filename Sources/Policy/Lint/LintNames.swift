import PropertyList

/// The names of all that several files say, as numbers.
///
/// Most keys stand in one file and have nothing to be compared with; what is said of others is found by its number.
struct LintNames {
    /// Where a name stands.
    struct Place {
        /// The place of the file among the files.
        let file: Int
        /// The place in the file.
        let position: Position
    }

    /// The numbers.
    private(set) var numbers: NameNumbers
    /// The number of each entry, file by file.
    private(set) var entries: [Int32] = []
    /// The number of each constraint, file by file.
    private(set) var constraints: [Int32] = []
    /// How many entries and constraints each name has.
    private(set) var counts: [Int32] = []
    /// Where each name stands first.
    private(set) var places: [Place] = []
    /// Where each domain stands first.
    private(set) var domainPlaces: [Place] = []

    /// Numbers the names of files, which stand in order of application.
    init(_ files: [LintFile]) {
        let count = files.reduce(0) { $0 + $1.policy.entries.count }
        numbers = NameNumbers(minimumCapacity: count)
        entries.reserveCapacity(count)
        counts.reserveCapacity(count)
        places.reserveCapacity(count)
        for (index, file) in files.enumerated() {
            let policy = file.policy
            let own = policy.entries
            // Fields by index: a loop over the entries would copy each whole.
            for place in own.indices {
                let number = add(own[place].domain, own[place].key, index, own[place].origin)
                entries.append(Int32(truncatingIfNeeded: number))
                counts[number] += 1
            }
            for item in policy.seals { _ = add(item.domain, index, item.origin) }
            for item in policy.constraints {
                let number = add(item.domain, item.key, index, item.origin)
                constraints.append(Int32(truncatingIfNeeded: number))
                counts[number] += 1
            }
            for item in policy.combine { _ = add(item.domain, item.key, index, item.origin) }
            for item in policy.waivers { _ = add(item.domain, item.key, index, item.origin) }
            for item in policy.metadata { _ = add(item.domain, item.key, index, item.origin) }
        }
    }

    /// The number of a key; `nil` where no file names it.
    func number(_ domain: Key, _ key: Key) -> Int? { numbers.find(domain, key) }

    /// Adds a domain.
    private mutating func add(_ domain: Key, _ file: Int, _ origin: Origin) -> Int {
        let number = numbers.number(ofDomain: domain)
        if number == domainPlaces.count { domainPlaces.append(Place(file: file, position: origin.position)) }
        return number
    }

    /// Adds a key.
    private mutating func add(_ domain: Key, _ key: Key, _ file: Int, _ origin: Origin) -> Int {
        let number = numbers.number(of: key, inDomain: add(domain, file, origin))
        if number == places.count {
            places.append(Place(file: file, position: origin.position))
            counts.append(0)
        }
        return number
    }
}
