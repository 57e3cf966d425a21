import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDPlatform

/// A file beside a full segment that says again what the segment says, and may be removed at any time.
struct SegmentCache: ~Copyable {
    /// The file.
    let file: ReadFile
    /// The segment.
    let segment: FileStatus

    /// Opens the file; `nil` unless it belongs to the segment's owner or to root, and no other user can write it.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - path: the file.
    ///   - segment: the segment, open.
    init?(root: Root, path: String, of segment: borrowing ReadFile) {
        guard let file = try? ReadFile(root: root, path: path), let own = try? file.status(),
            let status = try? segment.status(), own.owner == status.owner || own.owner == root.owner,
            own.mode & 0o022 == 0
        else { return nil }
        self.file = file
        self.segment = status
    }
}
