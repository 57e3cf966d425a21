package import Platform
import PropertyList

extension PolicyStore {
    /// The folders, under the root, whose changes may change policy: those of the policy files, the ones above them,
    /// which hold the tags and in which the former appear, and that of the record; and the file of the machine's name.
    ///
    /// A change of the record is a change of policy: names leave it, signatures are checked, names get ids.
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
