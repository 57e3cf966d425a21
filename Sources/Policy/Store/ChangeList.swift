import Platform
import PropertyList

/// Finds what differs between what was recorded and what is to be recorded.
enum ChangeList {
    /// The changes, in the order of the names.
    static func changes(from old: PolicyRecord, to new: PolicyRecord) -> [PolicyChange] {
        if old.files == new.files { return [] }
        // What was recorded of `/run` in another boot ended with it.
        let isNewBoot = old.boot != nil && new.boot != nil && old.boot != new.boot
        return Set(old.files.keys).union(new.files.keys).sorted().compactMap { file in
            let (before, after) = (old.files[file], new.files[file])
            if before == after { return nil }
            let note = isNewBoot && file.place == .run && after == nil ? "ended with the boot" : note(before, after)
            return PolicyChange(path: file.path, from: before?.digest, to: after?.digest, note: note)
        }
    }

    /// What happened to one name, in words.
    private static func note(_ old: PolicyRecord.Entry?, _ new: PolicyRecord.Entry?) -> String {
        switch (old?.state, new?.state) {
        case (_, nil): "removed"
        case (_, .mask?): "is a link to /dev/null"
        case (nil, .current?), (.mask?, .current?): "new"
        case (.current?, .current?): "changed"
        case (.lastGood?, .current?), (.some(.none), .current?): "mended"
        case (_, .lastGood?): "cannot be used as it is; the last good copy is in force"
        case (_, .some(.none)): "cannot be used as it is; nothing of it is in force"
        }
    }
}
