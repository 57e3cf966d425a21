package import Platform
import PropertyList

/// What root's commands keep for everybody's programs: the record, the compiled table, the good copies and the generations.
///
/// Everybody has to be able to read it, whatever put the folder back or hardened it: where a policy file is broken, its good
/// copy is all that says what it forces. What is root's alone, such as the registers, is left as it is.
package struct KeptFiles {
    /// The root.
    let root: Root

    /// The rights that a folder has to give.
    static let folderMode: UInt32 = 0o755
    /// The rights that a file has to give.
    static let fileMode: UInt32 = 0o644

    /// Names what is kept beneath a root.
    package init(root: Root) {
        self.root = root
    }

    /// The folders, each behind those that it is in.
    private var folders: [String] {
        [StorePath.home, StorePath.good, StorePath.generations, StorePath.objects]
    }

    /// What is not as it should be, each folder before what is in it.
    ///
    /// - Returns: the faults.
    func faults() -> [KeptFault] { look(isMending: false) }

    /// Lets everybody read what is kept: adds the rights that are missing, and takes none away.
    ///
    /// What others than root could have written is left as it is: with other rights it would be trusted. So is what a link
    /// leads to, which is not kept here.
    ///
    /// - Returns: what was not as it should be; that which could not be changed says why.
    func mend() -> [KeptFault] {
        look(isMending: true).filter { !$0.isLeftAlone }
    }

    /// Looks at every folder and at the files, and changes what is wrong where that is asked for.
    private func look(isMending: Bool) -> [KeptFault] {
        let rule = TrustRule(root: root)
        var (faults, passedOver): ([KeptFault], [String]) = ([], [])
        for folder in folders {
            let isBeneath = passedOver.contains { folder.utf8.starts(with: "\($0)/".utf8) }
            // What cannot be asked about is in a folder that was named, and what is no folder is named where it is used.
            guard !isBeneath, let status = try? root.status(folder, followingLinks: false) else { continue }
            if status.kind == .link {
                faults.append(KeptFault(root.display(folder), isFolder: true, status.mode, .link))
                passedOver.append(folder)
                continue
            }
            guard status.kind == .directory else { continue }
            if let objection = rule.objection(to: status) {
                faults.append(KeptFault(root.display(folder), isFolder: true, status.mode, .untrusted(objection)))
                passedOver.append(folder)
                continue
            }
            let isNarrow = status.mode & KeptFiles.folderMode != KeptFiles.folderMode
            guard let directory = try? root.trustedDirectory(folder) else { continue }
            if isNarrow {
                let failure =
                    isMending
                    ? failure { () throws(TrustError) in try directory.add(rights: KeptFiles.folderMode) } : nil
                faults.append(KeptFault(root.display(folder), isFolder: true, status.mode, .narrow(failure)))
            }
            faults += look(in: directory, folder, rule, isMending: isMending)
        }
        return faults
    }

    /// Looks at the files of a folder.
    private func look(
        in directory: TrustedDirectory, _ folder: String, _ rule: TrustRule, isMending: Bool
    ) -> [KeptFault] {
        var narrow: KeptFault?
        var untrusted: KeptFault?
        for name in names(in: directory, folder) {
            guard let status = try? directory.status(name), status.kind == .regular else { continue }
            let shown = root.display("\(folder)/\(name)")
            if let objection = rule.objection(to: status) {
                let fault = KeptFault(shown, isFolder: false, status.mode, .untrusted(objection))
                untrusted = untrusted?.withOneMore ?? fault
            } else if status.mode & KeptFiles.fileMode != KeptFiles.fileMode {
                let failure =
                    isMending
                    ? failure { () throws(TrustError) in try directory.add(rights: KeptFiles.fileMode, to: name) } : nil
                narrow = narrow?.withOneMore ?? KeptFault(shown, isFolder: false, status.mode, .narrow(failure))
            }
        }
        return [narrow, untrusted].compactMap { $0 }
    }

    /// The names in a folder that everybody's programs read.
    private func names(in directory: TrustedDirectory, _ folder: String) -> [String] {
        if folder == StorePath.home {
            return [StorePath.record, StorePath.table, StorePath.clock].map {
                String(Substring($0.utf8.dropFirst(folder.utf8.count + 1)))
            }
        }
        let names = (try? directory.names()) ?? []
        return switch folder {
        case StorePath.generations: names.filter(GenerationStore.isManifest)
        default: names.filter { Digest(hex: $0) != nil }
        }
    }

    /// Why something could not be done, as a clause; `nil` where it was.
    private func failure(_ work: () throws(TrustError) -> Void) -> String? {
        do {
            try work()
            return nil
        } catch {
            return error.description
        }
    }
}
