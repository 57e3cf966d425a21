import Platform
import PropertyList

extension PolicyStore {
    /// What is wrong with a machine whose policy was moved away; `nil` anywhere else.
    ///
    /// It has a record of policy that was in force, and no directory of policy. Programs do not look: by the design such a machine is unmanaged, and costs them nothing. Commands say it.
    package var abandonment: Diagnostic? {
        if isManaged { return nil }
        let count = RecordedTable(root: root).table.files.count { $0.key.place == .etc && $0.value.inForce != nil }
        if count == 0 { return nil }
        let folders = PolicyPlace.allCases.map { root.display($0.home) }.joined(separator: " nor ")
        return Diagnostic(
            file: root.display(StorePath.record), code: .notInForce,
            message: "neither \(folders) exists any more, so nothing is forced, though \(count) policy"
                + " \(count == 1 ? "file was" : "files were") in force when that was recorded; put the directory back, or,"
                + " where this machine is to have no policy, remove \(root.display(StorePath.home))")
    }
}
