import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDReport

/// What a host says of itself.
extension HostStatus {
    /// Says which policy is in force.
    mutating func describe(_ policy: PolicyInForce) {
        room = MachineIdentity(root: policy.root, tags: policy.tags).room
        let policies = policy.policies
        policyDigest = policy.knowledge.isDecisive ? policies.digest.hex : nil
        let sets = policies.files.compactMap { file -> Key? in
            guard let temporary = file.policy?.temporary, temporary.kind == .exam,
                temporary.until.map({ $0 > policy.moment.time }) ?? true
            else { return nil }
            return temporary.set
        }
        exams = Set(sets).sorted().map(\.string)
        boot = Machine.bootID(root: policy.root).map { id in
            String(SHA256.hmac(key: Array("managed-defaults boot".utf8), Array(id.utf8)).hex.prefix(32))
        }
    }

    /// Says what is known of the fleet.
    mutating func describe(_ state: FleetState, _ snapshot: SnapshotOutcome) {
        (epoch, serial, isStale) = (snapshot.number?.epoch, snapshot.number?.serial, snapshot.isStale)
        refusal = snapshot.refusal
        (waiting, waitingSince, refused) = (state.waiting, state.waitingSince, state.refused)
        verdict = state.verdict
    }

    /// The digest of everything but the time.
    var digest: String {
        var timeless = self
        timeless.time = Timestamp(microseconds: 0)
        return SHA256.hash(timeless.bytes).hex
    }
}
