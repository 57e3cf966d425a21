import MDPlatform

/// The objects that C holds by handles.
///
/// A handle is a number in the form of a pointer, never an address, and never used twice. So a handle that was closed, or
/// never was one, is found out and not followed.
final class HandleTable<Object: AnyObject & Sendable>: Sendable {
    /// The open handles.
    private struct Handles: Sendable {
        /// The number of the next handle.
        var next: UInt
        /// The objects by their numbers.
        var objects: [UInt: Object] = [:]
    }

    /// The distance of handles; that of other tables have the numbers between.
    private let step: UInt = 16
    /// The open handles.
    private let handles: Guarded<Handles>
    /// The same, for a child that fork(2) makes; replaced under the lock.
    private let inherited: InheritedValue<Handles>

    /// Makes a table.
    ///
    /// - Parameter first: the number of the first handle, from 1 to 15: another one for each table.
    init(first: UInt) {
        let inherited = InheritedValue(Handles(next: first))
        self.inherited = inherited
        handles = Guarded(resettable: inherited.value)
    }

    /// Changes the open handles.
    ///
    /// Complexity: O(open handles).
    private func change<Result>(_ body: (inout Handles) -> sending Result) -> sending Result {
        handles.withLock { handles in
            let result = body(&handles)
            inherited.publish(handles)
            return result
        }
    }

    /// Opens a handle.
    func add(_ object: Object) -> OpaquePointer? {
        unsafe change { handles in
            let number = handles.next
            // A process would have to open a billion handles a second for centuries.
            handles.next &+= step
            handles.objects[number] = object
            // The pointer is never followed; it only carries the number.
            return unsafe OpaquePointer(bitPattern: number)
        }
    }

    /// The object of an open handle; `nil` for anything else.
    func object(_ handle: OpaquePointer?) -> Object? {
        let number = UInt(bitPattern: handle)
        return handles.read { $0.objects[number] }
    }

    /// Closes the handle of an object.
    ///
    /// Complexity: O(open handles).
    func remove(_ object: Object) {
        change { handles in
            if let number = handles.objects.first(where: { $0.value === object })?.key { handles.objects[number] = nil }
        }
    }

    /// Closes a handle; returns its object if it was open.
    func remove(_ handle: OpaquePointer?) -> Object? {
        let number = UInt(bitPattern: handle)
        return change { $0.objects.removeValue(forKey: number) }
    }
}
