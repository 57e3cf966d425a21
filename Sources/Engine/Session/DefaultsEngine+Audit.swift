import Audit
import Platform
import Policy
import Preferences
import PropertyList

extension DefaultsEngine {
    /// Records an attempt; the first of equal ones at once, further ones as a count.
    func record(_ entry: ResolvedEntry, tried: Value?, outcome: AttemptOutcome) {
        let attempt = OverrideAttempt(
            entry, domain: domain, tried: tried, via: tried == nil ? .remove : .set, outcome: outcome)
        guard let session = state.withLock({ $0.session }) else { return }
        let record = attempt.record(of: session.account, root: session.machine.root, identity: identity)
        deliver(session.reporter.report(record))
    }

    /// Records files that were set aside because they could not be read.
    func report(_ result: UpdateResult, _ session: UserSession) {
        for file in result.damaged {
            var record = AuditRecord(kind: .damaged, src: .client, note: file.description)
            record.stamp(with: session.account)
            record.domain = domain
            deliver(session.reporter.report(record))
            state.withLock { $0.problems.append(file.description) }
        }
    }

    /// Stores the counts of equal attempts.
    func flushAttempts() {
        guard let session = state.withLock({ $0.session }) else { return }
        for delivery in session.reporter.flush() { deliver(delivery) }
    }

    /// Remembers what could not be recorded.
    private func deliver(_ delivery: Delivery) {
        if case .lost(let reason) = delivery { state.withLock { $0.problems.append(reason) } }
    }
}
