import Glibc

/// The names and ids of a machine.
package enum Machine {
    /// The file with the machine's host name.
    package static let hostNamePath = "/etc/hostname"

    /// The name: that of `/etc/hostname` beneath the root, else the recorded one, else, for the system, the kernel's.
    ///
    /// A name that is not a host name counts as missing; with none at all it is `localhost`. The kernel's comes last,
    /// because root of a namespace can change it. In a user namespace of another user than root only the recorded name
    /// counts.
    package static func hostName(root: Root, recorded: String? = nil) -> HostName {
        findHostName(root: root, recorded: recorded).name
    }

    /// The name, as ``hostName(root:recorded:)`` finds it, and an error if the file would have decided and could not be
    /// read for a shortage of the process or the machine.
    package static func findHostName(root: Root, recorded: String?) -> (name: HostName, shortage: SystemError?) {
        var shortage: SystemError?
        if !(root.isSystem && UserNamespace.isForeign) {
            do throws(TrustError) {
                if let name = try readHostName(root: root) { return (name, nil) }
            } catch {
                if case .system(let cause) = error, cause.isShortage { shortage = cause }
            }
        }
        if let known = recorded.flatMap({ HostName($0) }) { return (known, nil) }
        let name = root.isSystem ? HostName(kernelName) : nil
        return (name ?? HostName(short: "localhost", full: "localhost"), shortage)
    }

    /// The most bytes of the file that are read.
    private static let hostNameLimit = 4_096

    /// The name in `/etc/hostname` beneath the root; `nil` if there is none.
    ///
    /// The file has to be trusted: in a user namespace every user can mount another file over it.
    package static func fileHostName(root: Root) -> HostName? {
        (try? readHostName(root: root)).flatMap(\.self)
    }

    /// Reads the name in the file; `nil` if it holds none.
    private static func readHostName(root: Root) throws(TrustError) -> HostName? {
        hostName(inFile: try root.readTrusted(hostNamePath, limit: hostNameLimit).bytes)
    }

    /// The kernel's id of the machine's current boot; `nil` if /proc is not mounted.
    ///
    /// A folder that represents a machine may have a file with the id; without one it never reboots.
    ///
    /// - Parameter root: the root of the machine.
    /// - Returns: the id.
    package static func bootID(root: Root = .system) -> String? {
        guard let bytes = try? root.read("/proc/sys/kernel/random/boot_id", limit: 64).bytes else {
            return root.isSystem ? nil : "folder"
        }
        let id = String(decoding: bytes.prefix { $0 != 0x0a }, as: UTF8.self)
        return id.utf8.count == 36 && id.utf8.allSatisfy { isHexadecimal($0) || $0 == 0x2d } ? id : nil
    }

    /// The id in `/etc/machine-id` beneath the root: 32 lower-case hexadecimal digits, or `nil`.
    package static func machineID(root: Root) -> String? {
        guard let bytes = try? root.read("/etc/machine-id", limit: 4_096).bytes else { return nil }
        let id = bytes.prefix { $0 != 0x0a }
        return id.count == 32 && id.allSatisfy(isHexadecimal) ? String(decoding: id, as: UTF8.self) : nil
    }

    /// Why `/etc/hostname` is not used, as a sentence; `nil` if it is used.
    package static func hostNameProblem(root: Root) -> String? {
        if fileHostName(root: root) != nil { return nil }
        let (path, limit) = (hostNamePath, hostNameLimit)
        do throws(TrustError) {
            _ = try root.readTrusted(path, limit: limit)
        } catch {
            // A folder that represents a machine need not have one.
            return error.isMissing && !root.isSystem ? nil : error.description
        }
        return "\(root.display(path)) holds no host name."
    }

    /// The first line of `hostname(5)` that is neither empty nor a comment, if it is a host name.
    static func hostName(inFile bytes: [UInt8]) -> HostName? {
        for line in bytes.split(separator: 0x0a) {
            guard let text = String(validating: line, as: UTF8.self) else { return nil }
            let name = text.split { $0 == " " || $0 == "\t" || $0 == "\r" }
            guard let first = name.first, !first.hasPrefix("#") else { continue }
            return name.count == 1 ? HostName(String(first)) : nil
        }
        return nil
    }

    /// The name that the kernel has.
    private static var kernelName: String {
        // HOST_NAME_MAX is 64; the last byte stays 0, so that the text always ends.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
            unsafe buffer.initialize(repeating: 0)
            count = buffer.count
            unsafe buffer.withMemoryRebound(to: CChar.self) { characters in
                if let base = characters.baseAddress { _ = unsafe gethostname(base, characters.count - 1) }
            }
        }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Whether a byte is a lower-case hexadecimal digit.
    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
}

/// A host name.
package struct HostName: Hashable, Sendable {
    /// The name up to its first dot.
    package let short: String
    /// The whole name.
    package let full: String

    /// Wraps a name that was checked before.
    package init(short: String, full: String) {
        self.short = short
        self.full = full
    }

    /// Checks a name: 1 to 253 letters, digits, `-`, `_` and dots, no part of it empty or longer than 63.
    package init?(_ name: String) {
        let bytes = name.utf8
        guard bytes.count <= 253 else { return nil }
        // The length of the part so far, and of the first part.
        var (length, firstLength): (Int, Int?) = (0, nil)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "."):
                guard length > 0 else { return nil }
                firstLength = firstLength ?? length
                length = 0
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f:
                guard length < 63, length > 0 || byte != UInt8(ascii: "-") else { return nil }
                length += 1
            default: return nil
            }
        }
        guard length > 0 else { return nil }
        short = firstLength.map { String(Substring(bytes.prefix($0))) } ?? name
        full = name
    }
}
