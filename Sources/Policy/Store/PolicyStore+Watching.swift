package import Platform
import PropertyList

extension PolicyStore {
    /// The folders, under the root, whose changes may change policy: those of the policy files, the ones above them,
    /// which hold the tags and in which the former appear, and that of the record; and the file of the machine's name.
    ///
    /// Root's commands write the record once they have checked a signature that nobody else may check, asked for a name,
    /// or copied a file that not everybody can read: whoever has read policy before must read it again.
    package static var watchedFolders: [String] {
        PolicyPlace.allCases.flatMap { [$0.home, $0.directory] } + [StorePath.home, Machine.hostNamePath]
    }

    /// Whether a change in one of these folders may change policy.
    ///
    /// Beside the record there are locks and what is yet to be renamed, which are written where nothing changes.
    package static func isOfPolicy(_ change: FolderChange) -> Bool {
        guard Key(change.folder) == Key(StorePath.home), let names = change.names else { return true }
        let kept = [StorePath.record, StorePath.table].map { Key($0) }
        return names.contains { kept.contains(Key("\(StorePath.home)/\($0)")) }
    }
}
