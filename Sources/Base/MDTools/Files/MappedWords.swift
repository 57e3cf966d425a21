import Glibc
import MDCPlatform
package import MDPlatform

/// Numbers in memory that a file keeps when the process is killed at any instruction.
///
/// Each number is stored by one instruction, in the order of the program. Space for all of them is reserved, so that a full
/// file system does not end the process. Where there can be no such file the numbers are in memory only.
@safe package struct MappedWords: ~Copyable {
    /// The numbers; `nil` if there is no memory.
    private let base: UnsafeMutableRawPointer?
    /// How many there are.
    package let count: Int
    /// Why they are in memory only, or have no memory; `nil` in the usual case.
    package let problem: SystemError?

    /// Opens a file, which is created and filled with zeros if it is missing, shorter, or another user's.
    ///
    /// - Parameters:
    ///   - root: the root of the path.
    ///   - path: the file, in a directory that only this process writes.
    ///   - mode: its permission bits.
    ///   - count: how many numbers it has.
    /// - Returns: the numbers.
    package static func open(root: Root, path: String, mode: UInt32, count: Int) -> MappedWords {
        let count = max(count, 1)
        let size = count * MemoryLayout<Int64>.size
        do throws(SystemError) {
            let file = try MappedWords.open(root, path, mode)
            let (raw, shown) = (file.raw, root.display(path))
            try SystemCall.run("change the mode of", shown) { fchmod(raw, mode & 0o7777) }
            try SystemCall.run("reserve space for", shown) { cplatform_reserve(raw, Int64(size)) }
            guard let mapped = unsafe cplatform_map_words(raw, size) else {
                throw SystemError(operation: "map", path: shown, code: errno)
            }
            return unsafe MappedWords(base: mapped, count: count, problem: nil)
        } catch {
            return unsafe MappedWords(base: cplatform_map_words(-1, size), count: count, problem: error)
        }
    }

    private init(base: UnsafeMutableRawPointer?, count: Int, problem: SystemError?) {
        unsafe self.base = base
        (self.count, self.problem) = (count, problem)
    }

    deinit {
        // The mapping has this many bytes and belongs to this value.
        unsafe cplatform_unmap_words(base, count * MemoryLayout<Int64>.size)
    }

    /// Opens the file.
    private static func open(_ root: Root, _ path: String, _ mode: UInt32) throws(SystemError) -> FileDescriptor {
        do {
            return try root.open(path, .readWrite(mode: mode))
        } catch {
            if !error.isForbidden { throw error }
        }
        // Another user has run the service before, and made it.
        try root.remove(path)
        return try root.open(path, .readWrite(mode: mode))
    }

    /// A number; 0 for one that is not there.
    package subscript(index: Int) -> Int64 {
        get {
            guard index >= 0, index < count else { return 0 }
            // The place lies within the mapping.
            return unsafe cplatform_load_word(base, index)
        }
        nonmutating set {
            guard index >= 0, index < count else { return }
            // As above.
            unsafe cplatform_store_word(base, index, newValue)
        }
    }

    /// Sets all numbers to 0.
    package borrowing func clear() {
        for index in 0..<count where self[index] != 0 { self[index] = 0 }
    }
}
