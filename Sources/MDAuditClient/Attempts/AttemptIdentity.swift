import MDPropertyList

/// What makes two attempts equal, as bytes: sender, user, process, domain, key, value, way and outcome.
///
/// Made once for an attempt, so that looking it up encodes nothing.
package struct AttemptIdentity: Hashable, Sendable {
    /// The fields, each ended by a byte that no UTF-8 has.
    private var bytes: [UInt8]

    /// Selects the fields of a record.
    ///
    /// - Parameters:
    ///   - attempt: the record.
    ///   - sender: who made it, if one process reports for several.
    package init(_ attempt: AuditRecord, of sender: Int) {
        self.init(beginOf: attempt, of: sender)
        add(attempt.via?.rawValue.utf8)
        add(attempt.outcome?.rawValue.utf8)
        add(attempt.domain?.string.utf8)
        add(attempt.key?.string.utf8)
        add(attempt.tried?.json)
    }

    /// Selects the fields that all attempts of a process share: kind, source, user and process.
    package init(beginOf attempt: AuditRecord, of sender: Int) {
        bytes = []
        bytes.reserveCapacity(256)
        add(UInt64(bitPattern: Int64(sender)))
        add(attempt.kind.rawValue.utf8)
        add(attempt.src?.rawValue.utf8)
        add(attempt.uid.map(UInt64.init))
        add(attempt.pid.map { UInt64(bitPattern: Int64($0)) })
        add(attempt.start)
    }

    /// Adds the other fields, as they are in the line of the record.
    ///
    /// - Parameters:
    ///   - fields: the places of way, outcome, domain, key and value in it, in this order; `nil` for one that is absent.
    ///   - line: the line.
    package mutating func add(_ fields: [Range<Int>?], in line: [UInt8]) {
        for field in fields { add(field.map { line[$0] }) }
    }

    /// Adds a text.
    private mutating func add(_ text: (some Collection<UInt8>)?) {
        if let text { bytes += text }
        bytes.append(text == nil ? 0xfe : 0xff)
    }

    /// Adds a number.
    private mutating func add(_ number: UInt64?) {
        for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: (number ?? 0) >> UInt64(8 * place))) }
        bytes.append(number == nil ? 0xfe : 0xff)
    }

    /// Feeds all bytes at once.
    package func hash(into hasher: inout Hasher) {
        // The pointer is used inside the closure only, for the bytes of the array.
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

/// The count of attempts that equal an earlier one.
package struct JoinedAttempts: Hashable, Sendable {
    /// The newest of them, with `count`, `first` and `last`.
    package let record: AuditRecord
    /// Who made them.
    package let sender: Int

    /// Makes a count.
    package init(record: AuditRecord, sender: Int) {
        (self.record, self.sender) = (record, sender)
    }
}
