import Platform
import PropertyList

/// Finds what differs between what was recorded and what is in force now.
enum ChangeList {
    /// The changes, in the order of the names.
    ///
    /// Files without a source took no part, because another file switched them off or replaced them.
    static func changes(
        from old: [PolicyTable.FileName: PolicyTable.Record], to new: [PolicyTable.FileName: PolicyTable.Record],
        reasons: [Key: String]
    ) -> [PolicyChange] {
        if old == new { return [] }
        return Set(old.keys).union(new.keys).sorted().compactMap { file in
            let path = file.place.path(file.name.string)
            let (before, after) = (old[file], new[file])
            let missing = reasons[Key(path)] ?? "removed"
            guard let note = note(before?.source, before?.inForce, after?.source, after?.inForce, missing: missing)
            else { return nil }
            return PolicyChange(path: path, from: before?.inForce, to: after?.inForce, note: note)
        }
    }

    /// What happened to one file, in words; `nil` where nothing did.
    private static func note(
        _ oldSource: LoadedFile.Source?, _ old: Digest?, _ newSource: LoadedFile.Source?, _ new: Digest?,
        missing: String
    ) -> String? {
        if oldSource == newSource, old == new { return nil }
        switch (oldSource, newSource) {
        case (_, nil): return missing
        case (nil, .current): return "new"
        case (.current, .current): return "changed"
        case (.lastGood, .current), (.some(.none), .current): return "mended"
        case (_, .lastGood): return "cannot be used as it is; the last good copy is in force"
        case (_, .some(.none)): return "cannot be used as it is; nothing of it is in force"
        }
    }
}
