package import MDPlatform
import MDPolicyModel

/// The folder `/etc/managed-defaults`, walked to once for all files in it that one scan reads.
package struct PolicyHome: Sendable {
    /// The root that it lies in.
    let root: Root
    /// The folder, or why it cannot be used.
    private let directory: Result<TrustedDirectory, TrustError>

    /// Opens the folder.
    package init(_ root: Root) {
        self.root = root
        do throws(TrustError) {
            directory = .success(try root.trustedDirectory(PolicyDirectory.etc.home))
        } catch {
            directory = .failure(error)
        }
    }

    /// Whether it is there and trusted: only then can it lack a name.
    var isOpen: Bool {
        if case .success = directory { true } else { false }
    }

    /// Reads a file that only the owner of the root could have written.
    ///
    /// - Parameters:
    ///   - path: its path under the root, which is in this folder.
    ///   - limit: the most bytes that are read.
    /// - Returns: the file.
    /// - Throws: as ``MDPlatform/Root/readTrusted(_:limit:)``; why the folder cannot be used, if it is not open.
    func read(_ path: String, limit: Int) throws(TrustError) -> TrustedFile {
        let name = String(path.utf8.dropFirst(PolicyDirectory.etc.home.utf8.count + 1)) ?? path
        return try directory.get().read(name, limit: limit)
    }
}
