import Glibc
import MDPlatform

/// Collects changes and lets a thread wait for them.
final class Mailbox: Sendable {
    /// The collected changes.
    private let changes = Guarded<[FolderChange]>([])
    /// Wakes the waiting thread.
    private let pipe = Guarded<[Int32]>([-1, -1])

    init() {
        pipe.withLock { _ = Glibc.pipe(&$0) }
    }

    /// Adds changes.
    func put(_ more: [FolderChange]) {
        changes.withLock { $0 += more }
        var byte: UInt8 = 1
        _ = Glibc.write(pipe.withLock { $0[1] }, &byte, 1)
    }

    /// Waits for a change of a name, or one where anything may have changed.
    func wait(for name: String, in folder: String) {
        while !changes.withLock({ $0.contains { $0.folder == folder && $0.names?.contains(name) ?? true } }) {
            var byte: UInt8 = 0
            _ = Glibc.read(pipe.withLock { $0[0] }, &byte, 1)
        }
    }

    /// Waits until changes are added.
    func waitForAny() {
        var byte: UInt8 = 0
        _ = Glibc.read(pipe.withLock { $0[0] }, &byte, 1)
    }

    /// Whether every change named what changed.
    var isNamed: Bool { changes.withLock { $0.allSatisfy { $0.names != nil } } }

    /// Removes all changes.
    func empty() {
        changes.withLock { $0 = [] }
    }
}
