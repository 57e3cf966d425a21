import Foundation
import ManagedDefaults

/// What a thousand programs leave behind: objects that are opened, used and dropped one after the other.
enum Reopening {
    /// The number of the next descriptor: more of them would be left open.
    private static var descriptor: Int32 {
        let next = dup(0)
        close(next)
        return next
    }

    /// The bytes of memory that the process uses.
    private static var memory: Int {
        let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[1]
        return (pages.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Opens, reads, observes and drops; prints what is left.
    ///
    /// Exits 1 if that is more than the library keeps once.
    static func run(_ count: Int, key: String, _ open: () throws -> ManagedDefaults) -> Never {
        var (wrong, before, used): (Int, Int32, Int?) = (0, 0, nil)
        for index in 0..<count {
            if let defaults = try? open() {
                let observation = defaults.observeChanges(forKey: key) { _ in }
                if !defaults.objectIsForced(forKey: key) || defaults.string(forKey: key) == nil { wrong += 1 }
                defaults.register(defaults: ["Theme": "plain"])
                defaults.set(index, forKey: "Index")
                // One in two observations ends with its object.
                if index % 2 == 0 { observation.cancel() }
            } else {
                wrong += 1
            }
            if index == 300 { used = memory }
            if index == 10 { before = descriptor }
        }
        // The library's threads end by themselves, a little later.
        var tries = 0
        while descriptor > before, tries < 1_000 {
            usleep(10_000)
            tries += 1
        }
        let descriptors = descriptor - before
        let grown = used.map { memory - $0 } ?? 0
        print("\(count) opened and closed, \(wrong) wrong, \(descriptors) descriptors and \(grown) bytes more")
        // 700 objects: of each that was kept there would be some KiB.
        exit(wrong > 0 || descriptors > 0 || grown > 1_000_000 ? 1 : 0)
    }
}
