import CPlatform
import Glibc

/// Files without names that hold what a program is given, closed with their value.
final class MemoryFiles {
    /// The descriptors, in order.
    private(set) var descriptors: [Int32] = []

    /// Makes a file of each content; none of the descriptors is one that the program will use.
    ///
    /// - Throws: why a file could not be made, in the name of the program.
    init(_ contents: [[UInt8]], for program: String) throws(SystemError) {
        let lowest = Int32(clamping: 3 + contents.count)
        for content in contents {
            // The buffer lives for the duration of the call, which keeps no pointer to it.
            let file = try SystemCall.run("make a file for", program) {
                unsafe content.withUnsafeBytes { buffer in
                    unsafe cplatform_memory_file(buffer.baseAddress, buffer.count, lowest)
                }
            }
            descriptors.append(file)
        }
    }

    deinit {
        for descriptor in descriptors { _ = close(descriptor) }
    }
}
