import MDAuditLog
import MDPlatform
import MDPolicyCore
import MDPropertyList

/// What is stored of each person.
extension AuditService {
    /// Why nothing more of a person is stored now, but for first attempts on keys of policy; `nil` if it is.
    func excess(of head: MessageHead, from person: UInt32, now: Int64) -> DropReason? {
        let isInRate =
            head.isAttempts
            ? store.shares.take(max(head.records, 1), of: person, now: now)
            : questionTokens.take(1, of: person, now: now)
        if !isInRate { return .rate }
        guard head.records > 0 else { return nil }
        if store.isFull { return .full }
        return store.shares.isUsedUp(by: person, free: store.freeBytes, at: Clock.now()) ? .volume : nil
    }

    /// Whether a message, which is at the beginning of the buffer, has the first attempt of its person today on a key of
    /// policy.
    ///
    /// Only the beginning of each line is looked at, so that a flood costs little.
    func hasFirst(_ head: MessageHead, _ length: Int, of connection: Connection) -> Bool {
        guard let start = head.lines, !machine.keys.named.isEmpty else { return false }
        let time = Clock.now()
        return lines(from: start, to: length).contains { line in
            mark(of: line).map { store.shares.isFirst($0, of: connection.person, at: time) } ?? false
        }
    }

    /// Takes the places of the first attempts in some lines.
    ///
    /// - Returns: whether there is one.
    func takeFirsts(_ lines: [Range<Int>], of connection: Connection) -> Bool {
        let moment = PersonalShares.Moment()
        let taken = lines.filter { line in
            mark(of: line).map { store.shares.takeFirst($0, of: connection.person, at: moment) } ?? false
        }
        return !taken.isEmpty
    }

    /// The mark of the key that a line is about; `nil` if policy does not name it, or no program of ours wrote the line.
    private func mark(of line: Range<Int>) -> UInt64? {
        guard let (domain, key) = PlainAttempt.names(buffer, line) else { return nil }
        return machine.keys.named.mark(of: key.map(name), in: name(domain))
    }

    /// Charges the bytes of a line, and of what the service adds to it.
    func charge(_ length: Int, to connection: Connection) {
        store.charge(length + 256, to: limits.limitsRoot || !connection.isRoot ? connection.person : nil)
    }
}
