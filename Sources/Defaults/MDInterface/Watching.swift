// The functions have the names of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Glibc
public import MDCInterface
import MDCPlatform
import MDEngine
import MDPlatform
import MDPropertyList

/// A watch of C: the keys that have changed, and a pipe that is readable while there are some.
final class OpenWatch: Sendable {
    /// The open watches.
    static let handles = HandleTable<OpenWatch>(first: 3)
    /// The watches of each handle of defaults.
    private static let open = Guarded<[ObjectIdentifier: [OpenWatch]]>(resettable: [:])
    /// The most changed keys that are kept.
    private static let limit = 4_096

    /// What has changed.
    private struct Changes {
        /// The keys, the one that changed first in front.
        var keys: [Key] = []
        /// The same keys.
        var known: Set<Key> = []
        /// Whether there were more than are kept.
        var isIncomplete = false
        /// Whether the watch has ended, so that the descriptors may be others'.
        var isClosed = false

        /// Whether nothing has changed.
        var isEmpty: Bool { keys.isEmpty && !isIncomplete }
    }

    /// The defaults that are watched.
    private let defaults: OpenDefaults
    /// The end of the pipe that C polls.
    let reading: Int32
    /// The other end.
    private let writing: Int32
    /// The generation of the process (``Fork/generation``), which polls the pipe: no child writes into it.
    private let generation = Fork.generation
    /// What has changed.
    private let changes = Guarded(resettable: Changes())
    /// What the engine calls.
    private let observer = Guarded<ChangeObserver?>(resettable: nil)

    /// Begins to watch; `nil` if there is no descriptor left.
    init?(_ defaults: OpenDefaults, key: Key?) {
        var (reading, writing): (Int32, Int32) = (-1, -1)
        // Both numbers outlive the call, which fills them or fails.
        guard unsafe cplatform_pipe(&reading, &writing) == 0 else { return nil }
        self.defaults = defaults
        (self.reading, self.writing) = (reading, writing)
        let observer = defaults.engine.observe(key) { [weak self] change in self?.note(change.key) }
        self.observer.withLock { $0 = observer }
        OpenWatch.open.withLock { $0[ObjectIdentifier(defaults), default: []].append(self) }
    }

    /// Notes a changed key, and makes the pipe readable.
    private func note(_ key: Key) {
        changes.withLock { changes in
            if changes.isClosed || changes.known.contains(key) || generation != Fork.generation { return }
            let wasEmpty = changes.isEmpty
            if changes.keys.count < OpenWatch.limit {
                changes.keys.append(key)
                changes.known.insert(key)
            } else {
                changes.isIncomplete = true
            }
            // There is never more than this one byte in the pipe, so that the call does not wait.
            if wasEmpty { _ = unsafe Glibc.write(writing, "!", 1) }
        }
    }

    /// Hands over the next changed key; the empty one means all.
    func next() -> Key? {
        changes.withLock { changes in
            guard !changes.isEmpty, !changes.isClosed else { return nil }
            var key: Key = ""
            if changes.isIncomplete {
                changes.keys = []
                changes.known = []
                changes.isIncomplete = false
            } else {
                key = changes.keys.removeFirst()
                changes.known.remove(key)
            }
            if changes.isEmpty {
                var byte: UInt8 = 0
                // The byte that made the pipe readable; the variable has room for it.
                _ = unsafe read(reading, &byte, 1)
            }
            return key
        }
    }

    /// Ends the watch.
    func close() {
        let observer = observer.withLock { observer in
            defer { observer = nil }
            return observer
        }
        if let observer { defaults.engine.cancel(observer) }
        OpenWatch.open.withLock { open in
            open[ObjectIdentifier(defaults)]?.removeAll { $0 === self }
            if open[ObjectIdentifier(defaults)]?.isEmpty == true { open[ObjectIdentifier(defaults)] = nil }
        }
        changes.withLock { changes in
            if changes.isClosed { return }
            changes.isClosed = true
            _ = Glibc.close(reading)
            _ = Glibc.close(writing)
        }
    }

    /// Ends all watches of a handle that is closed.
    static func closeAll(of defaults: OpenDefaults) {
        for watch in open.withLock({ $0[ObjectIdentifier(defaults)] ?? [] }) {
            handles.remove(watch)
            watch.close()
        }
    }
}

/// Begins to watch a key, or all.
@c @implementation
public func mdefaults_watch_open(_ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?) -> OpaquePointer? {
    guard let defaults = unsafe OpenDefaults.handles.object(defaults) else { return nil }
    var watched: Key?
    if unsafe key != nil {
        guard let name = unsafe CText.string(key) else { return nil }
        watched = Key(name)
    }
    return unsafe OpenWatch(defaults, key: watched).flatMap { unsafe OpenWatch.handles.add($0) }
}

/// The descriptor that C polls.
@c @implementation
public func mdefaults_watch_descriptor(_ watch: OpaquePointer?) -> Int32 {
    unsafe OpenWatch.handles.object(watch)?.reading ?? -1
}

/// Hands over the next changed key.
@c @implementation
public func mdefaults_watch_next(
    _ watch: OpaquePointer?, _ key: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> mdefaults_status {
    unsafe CText.clear(key)
    guard let watch = unsafe OpenWatch.handles.object(watch), unsafe key != nil else { return MDEFAULTS_BAD_ARGUMENT }
    guard let changed = watch.next() else { return MDEFAULTS_NO_VALUE }
    return unsafe CText.give(changed.string, to: key) ? MDEFAULTS_OK : MDEFAULTS_NO_MEMORY
}

/// Ends a watch.
@c @implementation
public func mdefaults_watch_close(_ watch: OpaquePointer?) {
    unsafe OpenWatch.handles.remove(watch)?.close()
}
