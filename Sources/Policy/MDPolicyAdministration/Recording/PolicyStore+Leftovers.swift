import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

extension PolicyStore {
    /// How long ago a temporary file that is written without the lock must have changed last, in seconds.
    private static let leftoverAge: Int64 = 600

    /// Removes what killed processes left behind; under the lock, so that none of it is in use.
    ///
    /// What cannot be removed obstructs nothing, and `doctor` names it.
    func removeLeftovers() {
        let locked = [
            StorePath.record, StorePath.temporaryClock, NameLedger.path, PeopleRegister.path, KnownPeople.path,
        ]
        let unlocked = [StorePath.table, StorePath.clock]
        let home = StorePath.home
        try? root.removeLeftovers(in: home) { locked.contains("\(home)/\($0)") }
        try? root.removeLeftovers(in: home, unchangedFor: PolicyStore.leftoverAge) {
            unlocked.contains("\(home)/\($0)")
        }
        for folder in [StorePath.good, StorePath.objects] {
            try? root.removeLeftovers(in: folder) { Digest(hex: $0) != nil }
        }
        try? root.removeLeftovers(in: StorePath.generations, of: GenerationStore.isManifest)
        DirectoryExchange.removeLeftover(root: root)
        for place in TemporaryPolicyStore.Place.allCases {
            let (home, name) = place.parts
            try? root.removeLeftovers(in: "\(home)/\(name)", of: TemporaryPolicy.isPolicyFile)
            DirectoryExchange.removeLeftover(root: root, in: home, name)
        }
        try? root.removeLeftovers(in: StorePath.reasons, of: TemporaryPolicy.isPolicyFile)
    }
}
