import Platform

/// Whom a list of signers names, and until when their keys are valid.
///
/// The list has the form of `ssh-keygen`'s `ALLOWED SIGNERS`. The decision who signed is the tool's.
struct AllowedSigners {
    /// A line of the list.
    struct Line {
        /// The patterns of names, as they stand there.
        let principals: String
        /// The time from which on the key does not count, where one is given; the past where it does not read.
        let validBefore: Timestamp?
    }

    /// The lines that name a signer and a key.
    let lines: [Line]

    /// Reads a list; lines that are none of a list are passed over, as the tool does.
    init(_ bytes: [UInt8], zones: ZoneDatabase = ZoneDatabase(root: .system)) {
        lines = bytes.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }).compactMap { line in
            let fields = AllowedSigners.fields(line)
            guard fields.count >= 3, fields[0].first != UInt8(ascii: "#") else { return nil }
            // Between name and key may stand one field of options.
            guard let type = [1, 2].first(where: { $0 + 1 < fields.count && AllowedSigners.isKeyType(fields[$0]) })
            else { return nil }
            let options = type == 2 ? AllowedSigners.options(fields[1]) : []
            let end = options.lazy.compactMap(AllowedSigners.validBefore).first
            return Line(
                principals: String(decoding: AllowedSigners.unquoted(fields[0]), as: UTF8.self),
                validBefore: end.map { AllowedSigners.time($0, zones) ?? Timestamp(microseconds: 0) })
        }
    }

    /// When it has to be asked again whether a signature of these patterns of names counts: the earliest time still to
    /// come at which one of their keys ends; `nil` where none ever does.
    func end(of principals: String, after now: Timestamp) -> Timestamp? {
        lines.filter { $0.principals.utf8.elementsEqual(principals.utf8) }.compactMap(\.validBefore).filter {
            $0 > now
        }.min()
    }

    /// The fields of a line, separated by blanks outside of quotes.
    private static func fields(_ line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        split(line) { $0 == 0x20 || $0 == 0x09 }
    }

    /// The options of a field, separated by commas outside of quotes.
    private static func options(_ field: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        split(field) { $0 == UInt8(ascii: ",") }
    }

    /// Splits bytes outside of double quotes.
    private static func split(
        _ bytes: ArraySlice<UInt8>, at isSeparator: (UInt8) -> Bool
    ) -> [ArraySlice<UInt8>] {
        var isQuoted = false
        return bytes.split { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return !isQuoted && isSeparator(byte)
        }
    }

    /// Bytes without the double quotes around them.
    private static func unquoted(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let quote = UInt8(ascii: "\"")
        return bytes.count >= 2 && bytes.first == quote && bytes.last == quote ? bytes.dropFirst().dropLast() : bytes
    }

    /// Whether a field is the name of a kind of key.
    private static func isKeyType(_ field: ArraySlice<UInt8>) -> Bool {
        ["ssh-", "ecdsa-", "sk-"].contains { field.starts(with: $0.utf8) }
    }

    /// The value of the option `valid-before`; `nil` for any other.
    private static func validBefore(_ option: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let name = "valid-before="
        guard option.count > name.utf8.count,
            String(decoding: option.prefix(name.utf8.count), as: UTF8.self).lowercased() == name
        else { return nil }
        return unquoted(option.dropFirst(name.utf8.count))
    }

    /// Reads `YYYYMMDD`, `YYYYMMDDHHMM` or `YYYYMMDDHHMMSS`, with `Z` in universal time, without on this machine's clocks.
    private static func time(_ text: ArraySlice<UInt8>, _ zones: ZoneDatabase) -> Timestamp? {
        let isUniversal = text.last == UInt8(ascii: "Z")
        var digits = Array(isUniversal ? text.dropLast() : text)
        guard [8, 12, 14].contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        digits += [UInt8](repeating: 0x30, count: 14 - digits.count)
        /// Some of the digits.
        func part(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
        let date = "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))"
        guard let time = Timestamp(rfc3339: "\(date)T\(part(8..<10)):\(part(10..<12)):\(part(12..<14))Z") else {
            return nil
        }
        if isUniversal { return time }
        // A zone that cannot be read is as far to the east as any: the key ends too early rather than too late.
        let zone = try? zones.zone(named: nil)
        var seconds = zone.map { Int64($0.local(at: time).offset) } ?? 14 * 3_600
        let guess = Timestamp(microseconds: time.microseconds - seconds * 1_000_000)
        if let zone { seconds = max(seconds, Int64(zone.local(at: guess).offset)) }
        return Timestamp(microseconds: time.microseconds - seconds * 1_000_000)
    }
}
