package import MDPlatform
import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// The files that root's commands store for the programs of all users: policy record, compiled table, recorded copies
/// and generations.
///
/// All users must be able to read them, even if a restore or hardening changed their modes: if a policy file is broken,
/// only its recorded copy says what it forces. Files for root only, such as the registers, are not touched.
package struct StoredFiles {
    let root: Root

    /// The mode bits that a folder must have.
    static let folderMode: UInt32 = 0o755
    /// The mode bits that a file must have.
    static let fileMode: UInt32 = 0o644

    package init(root: Root) {
        self.root = root
    }

    /// The words for the user who may write these files.
    static func writer(of root: Root) -> String { root.isSystem ? "root" : "the owner of \(root.path)" }

    /// The folders, each after its parents.
    private var folders: [String] {
        [StorePath.home, StorePath.good, StorePath.generations, StorePath.objects]
    }

    /// Finds the faults, each folder before its content.
    ///
    /// - Returns: the faults.
    func faults() -> [StoredFileFault] { inspect(isRepairing: false) }

    /// Adds missing rights so that all users can read the files; removes none.
    ///
    /// Files that others than root could have written are not changed: with other rights they would be trusted. The
    /// targets of links are not changed either.
    ///
    /// - Returns: the faults; those that could not be repaired say why.
    func repair() -> [StoredFileFault] {
        inspect(isRepairing: true).filter { !$0.isLeftAlone }
    }

    /// Checks every folder and its files, and repairs faults on request.
    private func inspect(isRepairing: Bool) -> [StoredFileFault] {
        let rule = TrustRule(root: root)
        var (faults, passedOver): ([StoredFileFault], [String]) = ([], [])
        for folder in folders {
            let isBeneath = passedOver.contains { folder.utf8.starts(with: "\($0)/".utf8) }
            // If the status is unknown, the fault is in a parent that was reported; paths that are not folders are
            // reported by their users.
            guard !isBeneath, let status = try? root.status(folder, followingLinks: false) else { continue }
            if status.kind == .link {
                faults.append(StoredFileFault(root.display(folder), isFolder: true, status.mode, .link))
                passedOver.append(folder)
                continue
            }
            guard status.kind == .directory else { continue }
            if let objection = rule.objection(to: status) {
                faults.append(StoredFileFault(root.display(folder), isFolder: true, status.mode, .untrusted(objection)))
                passedOver.append(folder)
                continue
            }
            let isNarrow = status.mode & StoredFiles.folderMode != StoredFiles.folderMode
            guard let directory = try? root.trustedDirectory(folder) else { continue }
            if isNarrow {
                let failure =
                    isRepairing
                    ? failure { () throws(TrustError) in try directory.add(rights: StoredFiles.folderMode) } : nil
                faults.append(StoredFileFault(root.display(folder), isFolder: true, status.mode, .narrow(failure)))
            }
            faults += inspect(in: directory, folder, rule, isRepairing: isRepairing)
        }
        return faults
    }

    /// Checks the files of a folder.
    private func inspect(
        in directory: TrustedDirectory, _ folder: String, _ rule: TrustRule, isRepairing: Bool
    ) -> [StoredFileFault] {
        var narrow: StoredFileFault?
        var untrusted: StoredFileFault?
        // Nearly always there is none, and a folder may have thousands of files.
        let faulty = names(in: directory, folder).filter { name in
            guard let status = try? directory.status(name), status.kind == .regular else { return false }
            return status.mode & StoredFiles.fileMode != StoredFiles.fileMode || rule.objection(to: status) != nil
        }
        for name in folder == StorePath.home ? faulty : faulty.sorted() {
            guard let status = try? directory.status(name) else { continue }
            let shown = root.display("\(folder)/\(name)")
            if let objection = rule.objection(to: status) {
                let fault = StoredFileFault(shown, isFolder: false, status.mode, .untrusted(objection))
                untrusted = untrusted?.withOneMore ?? fault
            } else {
                let failure =
                    isRepairing
                    ? failure { () throws(TrustError) in try directory.add(rights: StoredFiles.fileMode, to: name) }
                    : nil
                narrow = narrow?.withOneMore ?? StoredFileFault(shown, isFolder: false, status.mode, .narrow(failure))
            }
        }
        return [narrow, untrusted].compactMap { $0 }
    }

    /// The names in a folder that the programs of all users read: in the home the gravest first, else in any order.
    private func names(in directory: TrustedDirectory, _ folder: String) -> [String] {
        if folder == StorePath.home {
            return [StorePath.record, StorePath.table, StorePath.clock, PolicyIntroductions.path, RunFolder.devicePath]
                .map {
                    String(Substring($0.utf8.dropFirst(folder.utf8.count + 1)))
                }
        }
        let names = (try? directory.names(inOrder: false)) ?? []
        return switch folder {
        case StorePath.generations: names.filter(GenerationStore.isManifest)
        default: names.filter { Digest(hex: $0) != nil }
        }
    }

    /// Does something; returns why it failed as a clause, or `nil`.
    private func failure(_ work: () throws(TrustError) -> Void) -> String? {
        do {
            try work()
            return nil
        } catch {
            return error.description
        }
    }
}

/// A fault of a stored file or folder.
package struct StoredFileFault: Hashable, Sendable {
    /// The kind of fault.
    enum Kind: Hashable {
        /// Not all users can read it; if a repair failed, the reason as a clause.
        case narrow(String?)
        /// Others than root could have written it; the way, as the end of a sentence that begins with the path.
        case untrusted(String)
        /// A link instead of a folder, which is not followed.
        case link
    }

    /// The path for messages.
    package let path: String
    /// Whether it is a folder.
    private let isFolder: Bool
    /// The mode before a repair.
    private let mode: UInt32
    /// The kind of fault.
    private let kind: Kind
    /// The number of further files in the folder with this fault.
    private var more = 0

    init(_ path: String, isFolder: Bool, _ mode: UInt32, _ kind: Kind) {
        (self.path, self.isFolder, self.mode, self.kind) = (path, isFolder, mode, kind)
    }

    /// The fault with one more file of the folder.
    var withOneMore: StoredFileFault {
        var fault = self
        fault.more += 1
        return fault
    }

    /// Whether only the administrator can repair it: an untrusted file or a link.
    var isLeftAlone: Bool {
        if case .narrow = kind { false } else { true }
    }

    /// Whether a repair failed.
    var isStuck: Bool {
        if case .narrow(.some) = kind { true } else { false }
    }

    private var wanted: String { isFolder ? "0755" : "0644" }

    /// The repair as a sentence.
    package var mending: String {
        let subject = more == 0 ? path : "\(path) and \(more) more \(more == 1 ? "file" : "files") beside it"
        let (them, it) = more == 0 ? (isFolder ? "what is kept there" : "it", "it has") : ("them", "they have")
        return Printable.escape(
            "\(subject) had the mode \(TrustRule.octal(mode)), so that users' programs could not read \(them); \(it) the"
                + " mode \(wanted) again.")
    }

    /// Makes the finding for the fault.
    ///
    /// - Parameter writer: the words for the user who may change it.
    /// - Returns: the finding.
    package func finding(writer: String) -> Diagnostic {
        let others = more == 0 ? "" : ", like \(more) more beside it,"
        switch kind {
        case .untrusted(let objection):
            let what = isFolder ? "nothing that is kept in this folder is used" : "this file\(others) is not used"
            return Diagnostic(file: path, code: .untrusted, message: "\(what): it \(objection)")
        case .link:
            return Diagnostic(
                file: path, severity: .warning, code: .notReadable,
                message:
                    "this folder is a link, and nobody looks whether users' programs can read what it leads to; each of"
                    + " them reads the policy files themselves, for there is no compiled table. Mount a disk here, or"
                    + " have the folder itself here")
        case .narrow(let failure):
            let what = isFolder ? "what is kept in this folder" : "this file\(others) of what is kept"
            let remedy =
                failure.map { "the mode could not be changed: \($0)" }
                ?? "mdefaults policy apply, run by \(writer), gives it the mode \(wanted)"
            return Diagnostic(
                file: path, severity: failure == nil ? .warning : .error, code: .notReadable,
                message:
                    "users' programs cannot read \(what) (mode \(TrustRule.octal(mode))), and may take every key for"
                    + " forced where they need it; \(remedy)")
        }
    }
}
