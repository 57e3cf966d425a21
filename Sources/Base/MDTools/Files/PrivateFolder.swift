import Glibc
import MDCPlatform
package import MDPlatform

/// A new folder that only this process's user can enter, for as long as it is needed.
package struct PrivateFolder: ~Copyable {
    /// Its path.
    package let path: String

    /// Makes a folder.
    ///
    /// - Parameters:
    ///   - name: the beginning of its name.
    ///   - folder: where to make it.
    /// - Returns: the folder.
    /// - Throws: why it cannot be made.
    package static func make(named name: String, in folder: String = "/tmp") throws(SystemError) -> PrivateFolder {
        let pattern = "\(folder)/\(name)-XXXXXX"
        try SystemCall.checkPath(pattern, "make", shown: pattern)
        var bytes = Array(pattern.utf8CString)
        // The array ends with NUL and outlives the call, which replaces its last characters.
        guard unsafe mkdtemp(&bytes) != nil else {
            throw SystemError(operation: "make", path: pattern, code: errno)
        }
        return PrivateFolder(path: String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    /// Removes the folder and everything in it.
    package consuming func remove() throws(SystemError) {
        let path = path
        // The string is valid for the duration of the call, which does not store a pointer to it.
        try SystemCall.run("remove", path) { unsafe cplatform_remove_tree(path) }
    }
}
