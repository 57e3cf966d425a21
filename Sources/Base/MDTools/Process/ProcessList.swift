package import MDPlatform

/// The processes of the machine that this process sees.
package enum ProcessList {
    /// A process, as far as everybody may know it.
    package struct Entry: Hashable, Sendable {
        package let pid: Int32
        /// The user, by the owner of its folder in /proc.
        package let uid: UInt32
        /// The name that the kernel has for it: the first 15 bytes of its file's name, unless it changed that.
        package let name: String
        /// When it started, to a hundredth of a second.
        package let started: Timestamp
    }

    /// Lists the processes that have some names.
    ///
    /// A process that ends meanwhile is left out.
    ///
    /// - Parameter names: the names; longer ones are compared by their first 15 bytes.
    /// - Returns: the processes, in no order; empty if /proc cannot be read.
    package static func named(_ names: [String]) -> [Entry] {
        let wanted = names.map { Array($0.utf8.prefix(nameLength)) }
        guard !wanted.isEmpty, let boot = bootTime, let all = try? Root.system.names(in: "/proc") else { return [] }
        return all.compactMap { word in
            guard let pid = Int32(word), let status = try? Root.system.status("/proc/\(pid)", followingLinks: false),
                let line = try? Root.system.read("/proc/\(pid)/stat", limit: 4096).bytes
            else { return nil }
            // The name is in brackets and may have any byte, brackets too.
            guard let open = line.firstIndex(of: UInt8(ascii: "(")), let close = line.lastIndex(of: UInt8(ascii: ")")),
                open < close
            else { return nil }
            let name = Array(line[(open + 1)..<close])
            guard wanted.contains(name) else { return nil }
            // The start is the 22nd field; the third one follows the name.
            let fields = line[(close + 1)...].split(separator: 0x20)
            guard fields.count > 19, let ticks = Int64(String(decoding: fields[19], as: UTF8.self)) else { return nil }
            let started = Timestamp(microseconds: boot + ticks * 10_000)
            return Entry(
                pid: pid, uid: status.owner, name: String(decoding: name, as: UTF8.self), started: started)
        }
    }

    /// The most bytes of a name.
    private static let nameLength = 15

    /// When the machine started, in microseconds since 1970.
    private static var bootTime: Int64? {
        guard let bytes = try? Root.system.read("/proc/stat", limit: 1 << 20).bytes else { return nil }
        let line = bytes.split(separator: 0x0a).first { $0.starts(with: "btime ".utf8) }
        return line.flatMap { Int64(String(decoding: $0.dropFirst(6), as: UTF8.self)) }.map { $0 * 1_000_000 }
    }
}
