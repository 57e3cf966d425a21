import Foundation

@testable import MDPlatform

/// Records the changes of a watch and lets a test wait for them.
final class ChangeRecorder: @unchecked Sendable {
    /// The lock of the calls, which wakes waiting threads.
    private let condition = NSCondition()
    /// One element for each call.
    private var calls: [[FolderChange]] = []

    /// Records the changes of a call.
    func record(_ changes: [FolderChange]) {
        condition.lock()
        calls.append(changes)
        condition.broadcast()
        condition.unlock()
    }

    /// Everything that came, in order.
    var changes: [FolderChange] {
        condition.lock()
        defer { condition.unlock() }
        return calls.flatMap { $0 }
    }

    /// Waits until the changes satisfy a condition; false if that takes too long.
    func wait(until isReached: ([FolderChange]) -> Bool) -> Bool {
        let limit = Date(timeIntervalSinceNow: TestLimit.seconds)
        condition.lock()
        defer { condition.unlock() }
        while !isReached(calls.flatMap { $0 }) {
            if !condition.wait(until: limit) { return false }
        }
        return true
    }

    /// Waits until a name was reported, or that anything may have changed.
    func wait(for name: String, in folder: String? = nil) -> Bool {
        wait { $0.contains { (folder == nil || $0.folder == folder) && $0.names?.contains(name) ?? true } }
    }

    /// Waits until a name was reported, or something without a name: other tests of this process can make the kernel's
    /// queue overflow.
    func wait(forNamed name: String) -> Bool {
        wait { $0.contains { $0.names?.contains(name) ?? true } }
    }

    /// Forgets what came.
    func empty() {
        condition.lock()
        calls = []
        condition.unlock()
    }
}

extension FolderWatch {
    /// Watches and records.
    static func begin(_ root: Root, _ folders: String..., into recorder: ChangeRecorder) -> FolderWatch {
        begin(root: root, folders: folders) { recorder.record($0) }
    }
}
