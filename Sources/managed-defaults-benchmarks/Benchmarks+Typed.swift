import Foundation
import ManagedDefaults

/// What is read from a Codable type.
private struct Point: Codable {
    /// A coordinate.
    var horizontal = 1.5
    /// A coordinate.
    var vertical = 2.5
}

extension ManagedDefaults.Keys {
    /// A truth value that is there.
    fileprivate static let flag = Key("Key500", default: false)
    /// A truth value that is not there.
    fileprivate static let missing = Key("NoSuchKey", default: true)
    /// A whole number.
    fileprivate static let number = Key("Number7", default: 1)
    /// A text.
    fileprivate static let text = Key("Text", default: "")
    /// A Codable type.
    fileprivate static let point = Key("Point", default: Point())
}

extension Benchmarks {
    /// Times typed reads beside Foundation's plain getters; for a Codable type, beside its decoder.
    static func typed(_ managed: ManagedDefaults, _ foundation: UserDefaults) throws {
        let point = try PropertyListEncoder().encode(Point())
        foundation.set(point, forKey: "Point")
        managed.set(Point(), for: .point)
        guard managed[.flag], managed[.missing], managed[.number] == foundation.integer(forKey: "Number7"),
            managed[.text] == foundation.string(forKey: "Text"), managed.takeProblems().isEmpty
        else { throw BenchmarkLab.Failure.wrongValues }
        print("typed reads, beside Foundation's plain getters:")
        compare("defaults[.flag], hit", { managed[.flag] }, { foundation.bool(forKey: "Key500") })
        compare("defaults[.missing], default", { managed[.missing] }, { foundation.bool(forKey: "NoSuchKey") })
        compare("defaults[.number]", { managed[.number] }, { foundation.integer(forKey: "Number7") })
        compare("defaults[.text], 34 bytes", { managed[.text] }, { foundation.string(forKey: "Text") })
        compare(
            "defaults[.point], Codable", calls: 2_000, { managed[.point] },
            {
                foundation.data(forKey: "Point").flatMap { try? PropertyListDecoder().decode(Point.self, from: $0) }
            })
        compare("setting(for: .flag)", { managed.setting(for: .flag) }, { foundation.bool(forKey: "Key500") })
    }
}
