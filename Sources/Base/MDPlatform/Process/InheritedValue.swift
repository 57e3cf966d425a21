import Synchronization

/// A value that a child of fork(2) can read, whatever the threads of its parent were doing at the fork.
///
/// The address of an immutable box is replaced in one step, and the old box is freed afterwards. So in the memory that a
/// child gets there is always a whole value, which behind a lock may be half changed.
package final class InheritedValue<Value: Sendable>: Sendable {
    /// Holds a value.
    private final class Box: Sendable {
        /// The value.
        let value: Value

        /// Wraps a value.
        init(_ value: Value) { self.value = value }
    }

    /// The first value.
    private let first: Value
    /// The address of the box, with one reference; 0 for the first value.
    private let address = Atomic<UInt>(0)

    /// Puts a first value there.
    package init(_ value: Value) {
        first = value
    }

    deinit {
        InheritedValue.release(address.load(ordering: .acquiring))
    }

    /// The address of a new box, whose reference is the caller's.
    private static func retained(_ value: Value) -> UInt {
        unsafe UInt(bitPattern: Unmanaged.passRetained(Box(value)).toOpaque())
    }

    /// Gives a reference back.
    private static func release(_ bits: UInt) {
        // The address is 0, or that of a box with a reference that only this object releases.
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: bits) else { return }
        unsafe Unmanaged<Box>.fromOpaque(pointer).release()
    }

    /// Replaces the value; no other thread may read or replace it meanwhile.
    package func publish(_ value: Value) {
        InheritedValue.release(address.exchange(InheritedValue.retained(value), ordering: .acquiringAndReleasing))
    }

    /// The value; no other thread of this process may replace it meanwhile.
    package var value: Value {
        let bits = address.load(ordering: .acquiring)
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: bits) else { return first }
        // The box lives until it is replaced.
        return unsafe Unmanaged<Box>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.value }
    }
}
