import Platform
package import Policy
package import PropertyList

/// What is remembered of an entry that was set once: which policy, of which version, wrote which key.
package struct SetOnceMark: Hashable, Sendable {
    /// The domain.
    package let domain: Key
    /// The key.
    package let key: Key
    /// The identifier of the policy.
    package let policy: Key
    /// What makes the entry a new one: `version 3`, `stamp spring`, `session 5 of BOOT`.
    package let occasion: Key
    /// A random word by which a mark that was made anew differs from the one before it; `nil` where nobody asks, and in
    /// marks that were made before there were such words.
    package let word: Key?

    /// Makes a mark of what stands in a file.
    package init(domain: Key, key: Key, policy: Key, occasion: Key, word: Key? = nil) {
        (self.domain, self.key, self.policy, self.occasion) = (domain, key, policy, occasion)
        self.word = word
    }

    /// The mark without its word: what two marks of one setting have in common.
    package var plain: SetOnceMark { SetOnceMark(domain: domain, key: key, policy: policy, occasion: occasion) }

    /// The mark with a word of its own.
    var coined: SetOnceMark {
        let word = Key(String(UInt64.random(in: .min ... .max), radix: 16))
        return SetOnceMark(domain: domain, key: key, policy: policy, occasion: occasion, word: word)
    }

    /// The mark that an entry leaves when it is written now, without a word.
    package init(_ entry: ResolvedEntry) {
        domain = entry.domain
        key = entry.key
        policy = Key(entry.origin.policy)
        occasion = Key(entry.rule.occasion(version: entry.policyVersion) ?? SetOnceMark.session)
        word = nil
    }

    /// What the occasion of an entry begins with that is written in each login session.
    private static let sessionMark = "session "

    /// The login session of this process; without one, the time since the boot counts as one.
    private static var session: String {
        let number = CurrentProcess.sessionID.map { $0 == .max ? "none" : String($0) } ?? "none"
        return "\(sessionMark)\(number) of \(Machine.bootID() ?? "an unknown boot")"
    }

    /// What a mark of a session has in common with those of other sessions, which need not be remembered beside it; `nil`
    /// for any other mark.
    var sessionPlace: [Key]? {
        occasion.string.utf8.starts(with: SetOnceMark.sessionMark.utf8) ? [domain, key, policy] : nil
    }
}
