/// The bounds beyond which a property list is refused, so that no file exhausts memory, the stack or time.
package struct Limits: Sendable {
    /// The most bytes of a file.
    package var bytes: Int
    /// The most nested arrays and dictionaries.
    package var depth: Int
    /// The most values and keys, counted as they unfold: in a binary file, a shared object counts each time.
    package var objects: Int

    /// Makes bounds.
    package init(bytes: Int, depth: Int, objects: Int) {
        self.bytes = bytes
        self.depth = depth
        self.objects = objects
    }

    /// Bounds of any property list.
    ///
    /// 64 MiB and 4 million objects hold seven times the largest domain that was measured (100,000 keys, 9 MiB). 512
    /// levels are what CoreFoundation reads and writes; our readers need less than 256 KiB of stack for them, a quarter
    /// of the smallest stack that a thread has by default.
    package static let standard = Limits(bytes: 64 << 20, depth: 512, objects: 4_000_000)
}
