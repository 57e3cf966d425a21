package import MDPlatform
import MDPolicyCore
import MDPolicyStore
import MDPreferences
package import MDPropertyList

/// The settings of one user as they change, for commands that follow them.
///
/// Applications have a ``DefaultsStore``, which also writes, records and applies what is set once. A follower only reads;
/// what it has seen of policy stays in force until a record ends it, as in an application.
package final class SessionFollower {
    /// The machine, as it was when following began.
    private let machine: PolicyInForce
    /// The user.
    private let account: Account
    /// The domains that policy is read for.
    private let domains: Set<Key>
    /// Reads policy.
    private let source: MachinePolicySource
    /// Reports changes.
    private let watch: PolicyWatch
    /// Policy as it was read last.
    private var resultant = ResultantSet(knowledge: .unread)

    /// Names what is followed; nothing is read or watched yet.
    ///
    /// - Parameters:
    ///   - domains: the domains that are searched.
    ///   - account: the user.
    ///   - machine: the machine.
    package init(_ domains: [Key], of account: Account, on machine: PolicyInForce) {
        (self.machine, self.account, self.domains) = (machine, account, Set(domains))
        source = MachinePolicySource(account: account, machine, PolicyMemory())
        watch = PolicyWatch(root: machine.root)
    }

    /// Whether the caller has to read again after a second, because no change may be reported.
    package var needsAnotherLook: Bool { resultant.knowledge.needsAnotherLook || watch.status == .lost }

    /// Reads what counts now; every change after that is reported.
    ///
    /// - Parameter changed: called on another thread when something may have changed.
    /// - Returns: the user's settings; its resultant set says what is known of policy.
    package func read(_ changed: @escaping @Sendable () -> Void) -> UserSession {
        while true {
            readPolicy()
            let session = UserSession(
                machine: machine, account: account,
                resultant: resultant.described(by: ManifestSet(root: machine.root, of: domains)))
            let stored = session.preferences.directory
            var folders = [stored, stored + "/ByHost"] + source.folders
            if !source.folders.isEmpty { folders.append(SharedDefaults.directory) }
            // What stays in force because it cannot be read again may have an end that is over: the caller looks again.
            watch.setAlarm(resultant.knowledge.isCurrent ? resultant.nextChange : nil, changed)
            if watch.status == .lost || watch.covers(folders) { return session }
            // What changed before the watch is read again.
            watch.begin(folders) { _ in changed() }
        }
    }

    /// Reads policy; what could not be read leaves what was known in force.
    private func readPolicy() {
        var reading: ResultantSet
        do throws(SessionError) {
            reading = try source.read(domains)
        } catch {
            reading = ResultantSet(knowledge: .unknown(because: error.description))
        }
        let knowledge = resultant.knowledge.followed(by: reading.knowledge)
        if case .stale = knowledge {
            resultant.knowledge = knowledge
        } else {
            resultant = reading
        }
    }
}
