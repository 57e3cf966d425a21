/// What a read finds that wants one type: the value as it lies in the table, without a box around it.
package enum PlainAnswer<Scalar> {
    /// There is no value.
    case missing
    /// A value of that type.
    case plain(Scalar)
    /// A value of another type.
    case other
}

extension SnapshotCell {
    /// A truth value.
    package func plainBoolean(_ key: String) -> PlainAnswer<Bool> {
        guard let entry = entry(key), entry.hasValue else { return .missing }
        return entry.payloadKind == TableEntry.Payload.boolean.rawValue ? .plain(entry.bits != 0) : .other
    }

    /// A whole number; `other` beyond `Int`.
    package func plainInteger(_ key: String) -> PlainAnswer<Int> {
        guard let entry = entry(key), entry.hasValue else { return .missing }
        guard entry.payloadKind == TableEntry.Payload.signed.rawValue else { return .other }
        return .plain(Int(Int64(bitPattern: entry.bits)))
    }

    /// A floating-point number.
    package func plainReal(_ key: String) -> PlainAnswer<Double> {
        guard let entry = entry(key), entry.hasValue else { return .missing }
        guard entry.payloadKind == TableEntry.Payload.real.rawValue else { return .other }
        return .plain(Double(bitPattern: entry.bits))
    }

    /// A text.
    package func plainText(_ key: String) -> PlainAnswer<String> {
        guard let entry = entry(key), entry.hasValue else { return .missing }
        return entry.payloadKind == TableEntry.Payload.string.rawValue ? .plain(entry.text) : .other
    }
}
