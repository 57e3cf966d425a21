import Platform

/// Something of what root's commands keep for everybody's programs that is not as it should be.
package struct KeptFault: Hashable, Sendable {
    /// What is wrong.
    enum Kind: Hashable {
        /// Not everybody can read it; why that could not be changed, as a clause, where somebody tried.
        case narrow(String?)
        /// Others than root could have written it; how, as the end of a sentence that begins with its path.
        case untrusted(String)
        /// A link in the place of a folder, behind which nobody looks.
        case link
    }

    /// The path as people are shown it.
    package let path: String
    /// Whether it is a folder.
    private let isFolder: Bool
    /// The mode that it has, or had.
    private let mode: UInt32
    /// What is wrong.
    private let kind: Kind
    /// How many more files of the folder are like it.
    private var more = 0

    /// Names a fault.
    init(_ path: String, isFolder: Bool, _ mode: UInt32, _ kind: Kind) {
        (self.path, self.isFolder, self.mode, self.kind) = (path, isFolder, mode, kind)
    }

    /// The same of one more file of the folder.
    var withOneMore: KeptFault {
        var fault = self
        fault.more += 1
        return fault
    }

    /// Whether nobody changes it but the administrator: what others than root could have written, and what is somewhere
    /// else.
    var isLeftAlone: Bool {
        if case .narrow = kind { false } else { true }
    }

    /// Whether it could not be changed by somebody who tried.
    var isStuck: Bool {
        if case .narrow(.some) = kind { true } else { false }
    }

    /// The mode that it should have.
    private var wanted: String { isFolder ? "0755" : "0644" }

    /// What was changed, as a sentence.
    package var mending: String {
        let subject = more == 0 ? path : "\(path) and \(more) more \(more == 1 ? "file" : "files") beside it"
        let (them, it) = more == 0 ? (isFolder ? "what is kept there" : "it", "it has") : ("them", "they have")
        return Printable.escape(
            "\(subject) had the mode \(TrustRule.octal(mode)), so that users' programs could not read \(them); \(it) the"
                + " mode \(wanted) again.")
    }

    /// What is to be said of it while it is so.
    ///
    /// - Parameter writer: who may change it.
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
