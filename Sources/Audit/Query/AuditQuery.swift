package import Platform
package import PropertyList

/// Which records somebody wants to see; what is `nil` does not narrow.
package struct AuditQuery: Hashable, Sendable {
    /// The earliest time, itself included.
    package var since: Timestamp?
    /// The latest time, itself included.
    package var until: Timestamp?
    /// The name of the user, or the uid in decimal.
    package var user: String?
    /// The domain.
    package var domain: Key?
    /// The key.
    package var key: Key?
    /// The kind.
    package var kind: RecordKind?
    /// The name of the host.
    package var host: String?
    /// The most records; the newest are kept.
    package var limit: Int?

    /// Makes a query.
    package init(
        since: Timestamp? = nil, until: Timestamp? = nil, user: String? = nil, domain: Key? = nil, key: Key? = nil,
        kind: RecordKind? = nil, host: String? = nil, limit: Int? = nil
    ) {
        (self.since, self.until, self.user) = (since, until, user)
        (self.domain, self.key, self.kind) = (domain, key, kind)
        (self.host, self.limit) = (host, limit)
    }

    /// Whether a record is wanted, the limit left aside.
    ///
    /// A record of several attempts lies in a span of time when any of them may have been made in it.
    package func matches(_ record: AuditRecord) -> Bool {
        if let since {
            guard let newest = record.last ?? record.time, newest >= since else { return false }
        }
        if let until {
            guard let oldest = record.first ?? record.time, oldest <= until else { return false }
        }
        if let user {
            let isNamed = record.user.map { Key($0) == Key(user) } ?? false
            guard isNamed || record.uid.map(String.init) == user else { return false }
        }
        if let domain, record.domain != domain { return false }
        if let key, record.key != key { return false }
        if let kind, record.kind != kind { return false }
        if let host, record.host.map({ Key($0) }) != Key(host) { return false }
        return true
    }
}
