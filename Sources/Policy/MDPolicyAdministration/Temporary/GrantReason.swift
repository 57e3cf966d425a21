package import MDPlatform
package import MDPolicyModel
import MDPropertyList

/// Why a grant was given: shown to root and to the person whom it is for, because it may be about their health.
///
/// Policy files are public on their machine, so that the file of a grant says ``unshown`` instead. The reason is in the
/// audit log, and in a file of root's that an access control list lets one more user read, and that goes with the grant.
package enum GrantReason {
    /// The text in the place of a reason.
    package static let unshown = "reason not public"

    /// The most bytes of a reason that are read: as many as a command line has.
    private static let limit = 1 << 20

    /// The reason in a waiver, or that of its grant if the caller may read it.
    package static func shown(_ waiver: Waiver, in root: Root) -> String {
        shown(waiver.reason, file: waiver.origin.file, in: root)
    }

    /// A text of a policy file, or the reason of the grant in that file if the text stands for it and the caller may
    /// read it.
    package static func shown(_ text: String, file: String, in root: Root) -> String {
        guard text.utf8.elementsEqual(unshown.utf8), file.utf8.starts(with: "\(TemporaryPolicy.directory)/".utf8),
            let bytes = read(String(file.dropFirst(TemporaryPolicy.directory.count + 1)), in: root)
        else { return text }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The reason of a grant; `nil` if there is none that the caller may read.
    static func read(_ name: String, in root: Root) -> [UInt8]? { try? root.read(path(name), limit: limit).bytes }

    /// Writes or removes the reason of a grant.
    ///
    /// - Parameters:
    ///   - bytes: the reason; `nil` removes it.
    ///   - name: the name of the grant's file.
    ///   - user: who else may read it; only root can where the file system has no access control lists.
    ///   - root: the root of the machine.
    /// - Throws: why it could not be written or removed.
    static func put(_ bytes: [UInt8]?, as name: String, for user: UInt32?, in root: Root) throws(SystemError) {
        guard let bytes else {
            do { try root.remove(path(name)) } catch { if !error.isMissing { throw error } }
            return
        }
        try root.createDirectory(StorePath.reasons, mode: 0o755)
        try root.replace(path(name), with: bytes, mode: 0o600)
        // On a file system without access control lists only root reads it.
        if let user { try? root.setAccess(to: path(name), AccessList(.read, users: [user])) }
    }

    /// Removes reasons whose grants a boot has ended.
    ///
    /// - Parameters:
    ///   - lasting: the names of the grants that outlast a boot.
    ///   - root: the root of the machine.
    static func removeOthers(than lasting: some Collection<Key>, in root: Root) {
        guard let names = try? root.names(in: StorePath.reasons), !names.isEmpty else { return }
        let kept = Set(lasting).union(((try? root.names(in: TemporaryPolicy.directory)) ?? []).map { Key($0) })
        for name in names where TemporaryPolicy.isPolicyFile(name) && !kept.contains(Key(name)) {
            try? put(nil, as: name, for: nil, in: root)
        }
    }

    private static func path(_ name: String) -> String { "\(StorePath.reasons)/\(name)" }
}
