import Foundation
import ManagedDefaults

extension Benchmarks {
    /// Times what changes memory: the next read included where it says so.
    static func writing(_ lab: BenchmarkLab, _ managed: ManagedDefaults, _ foundation: UserDefaults) throws {
        let large = try ManagedDefaults(root: lab.root, user: "user", application: lab.largeDomain)
        guard let foundationLarge = UserDefaults(suiteName: lab.largeDomain), large.integer(forKey: "Key77") == 77,
            foundationLarge.integer(forKey: "Key77") == 77
        else { throw BenchmarkLab.Failure.wrongValues }
        print("\nChanges in memory; saves go on beside, as in an application")
        var number = 1_000_000
        /// A value that no key has yet.
        func next() -> Int {
            number += 1
            return number
        }
        compare(
            "set(_:forKey:), 1,000 keys", peer: "set", { managed.set(next(), forKey: "Number3") },
            { foundation.set(next(), forKey: "Number3") })
        compare(
            "set(_:forKey:), equal value", { managed.set(true, forKey: "Key5") },
            { foundation.set(true, forKey: "Key5") })
        compare(
            "set then read, 1,000 keys", calls: 500, peer: "set then read",
            { (managed.set(next(), forKey: "Number3"), managed.integer(forKey: "Number4")) },
            { (foundation.set(next(), forKey: "Number3"), foundation.integer(forKey: "Number4")) })
        compare(
            "set then read, 10,000 keys", calls: 50,
            { (large.set(next(), forKey: "Key3"), large.integer(forKey: "Key4")) },
            { (foundationLarge.set(next(), forKey: "Key3"), foundationLarge.integer(forKey: "Key4")) })
        let registered = Dictionary(uniqueKeysWithValues: (0..<1_000).map { ("Registered\($0)", $0 as Any) })
        compare(
            "register(defaults:), 1,000 keys", calls: 20, peer: "register", { managed.register(defaults: registered) },
            { foundation.register(defaults: registered) })
        compare(
            "set, dictionaryRepresentation()", calls: 20, peer: "representation",
            { (managed.set(next(), forKey: "Number3"), managed.dictionaryRepresentation()) },
            { (foundation.set(next(), forKey: "Number3"), foundation.dictionaryRepresentation()) })
    }
}
