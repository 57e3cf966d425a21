import Foundation

/// A temporary machine whose user has the same settings for both sides.
struct BenchmarkLab {
    /// Why a lab could not be set up.
    enum Failure: Error {
        /// Foundation gave no defaults.
        case noUserDefaults
        /// A side returns something else than was written.
        case wrongValues
    }

    /// The domain that both sides read.
    let domain = "org.example.Benchmark"
    /// A domain of ten thousand keys.
    let largeDomain = "org.example.Large"
    /// The folder that is the root of the machine.
    let root: String

    /// The folder of the preference files.
    var configuration: String { root + "/home/user/.config" }

    /// Finds a lab that exists.
    init(root: String) {
        self.root = root
    }

    /// Writes policy and settings.
    init(keyCount: Int) throws {
        self.init(root: NSTemporaryDirectory() + "managed-defaults-benchmark-\(UUID().uuidString)")
        let policies = root + "/etc/managed-defaults/policies.d"
        for folder in [configuration, policies] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        var values: [String: Any] = ["Text": "a text of thirty-four bytes, flat!", "ForcedKey": true]
        for index in 0..<keyCount {
            values["Key\(index)"] = true
            if index < 10 { values["Number\(index)"] = index }
        }
        let large = Dictionary(uniqueKeysWithValues: (0..<10_000).map { ("Key\($0)", $0) })
        for (domain, values) in [(domain, values), (largeDomain, large)] {
            let settings = try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
            try settings.write(to: URL(fileURLWithPath: configuration + "/\(domain).plist"))
        }
        let policy = """
            { "Identifier": "org.example.benchmark", "Forced": { "\(domain)": { "ForcedKey": false } } }
            """
        try Data(policy.utf8).write(to: URL(fileURLWithPath: policies + "/10-benchmark.json"))
        let users = "user:x:\(getuid()):\(getgid())::/home/user:/bin/sh\n"
        try Data(users.utf8).write(to: URL(fileURLWithPath: root + "/etc/passwd"))
    }

    /// Removes the folder.
    func remove() {
        try? FileManager.default.removeItem(atPath: root)
    }
}
