import Glibc
import MDCPlatform
package import MDPlatform

/// A process by a descriptor (pidfd): as long as it is alive, its number is no other process's.
package struct ProcessHandle: ~Copyable, Sendable {
    /// The most bytes of the kernel's description of a descriptor.
    private static let longestDescription = 4_096

    /// The descriptor.
    private let descriptor: FileDescriptor

    /// Takes over a descriptor, which may be of any kind.
    package init(_ descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }

    /// The process that connected; `nil` if the kernel does not give it, or it has ended.
    package init?(peerOf socket: borrowing MessageSocket) {
        let raw = cplatform_peer_process(socket.raw)
        guard raw >= 0 else { return nil }
        descriptor = FileDescriptor(owning: raw)
    }

    /// The number that the kernel knows the descriptor by.
    var raw: Int32 { descriptor.raw }

    /// Whether the process has not ended.
    package var isAlive: Bool {
        var entry = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
        // The structure outlives the call; a process that has ended is readable.
        return unsafe poll(&entry, 1, 0) == 0
    }

    /// The number of the process, as the kernel describes the descriptor; `nil` if the descriptor is not one of a
    /// process, or the process has ended or is in another pid namespace.
    private var number: Int32? {
        let path = "/proc/self/fdinfo/\(descriptor.raw)"
        guard let file = try? FileDescriptor.open(path, in: AT_FDCWD, flags: OpenMode.read.flags, shown: path),
            let text = try? file.read(count: ProcessHandle.longestDescription, at: 0, shown: path)
        else { return nil }
        for line in text.split(separator: 0x0a) where line.starts(with: "Pid:".utf8) {
            let number = line.dropFirst(4).drop { $0 == 0x09 || $0 == 0x20 }
            return Int32(String(decoding: number, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
        }
        return nil
    }

    /// The bytes of the link to the program's file, at most 4,096, unparsed.
    ///
    /// - Returns: `nil` if they cannot be read, or the process ended meanwhile, so that they may be another one's.
    package func programLink() -> [UInt8]? {
        guard let number else { return nil }
        let path = "/proc/\(number)/exe"
        guard let link = try? FileDescriptor.linkBytes(of: path, in: AT_FDCWD, shown: path), isAlive else { return nil }
        return link
    }
}
