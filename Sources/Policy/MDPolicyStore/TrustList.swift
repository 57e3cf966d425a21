import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel

/// The list of signers that the machine trusts to sign policy.
struct TrustList: Sendable {
    /// Whether the list exists, so signatures are required.
    let exists: Bool
    /// The digest; that of the last recorded list if this one cannot be read.
    package let digest: Digest?
    /// The content; `nil` if it cannot be read.
    package let bytes: [UInt8]?
    /// The findings about the list.
    package let problems: [Diagnostic]

    /// The largest list that is read, in bytes.
    private static let sizeLimit = 1 << 20

    /// Reads the list of a verifier.
    ///
    /// It counts as missing only if its directory was read completely. An unreadable, untrusted or invalid list still
    /// requires signatures, as its creator intended. Then only files that were verified with the last readable list
    /// count as signed; without such a list no file does.
    init(_ verifier: SignatureVerifier, in home: PolicyHome, recorded: Digest?) {
        let shown = home.root.display(verifier.trustPath)
        do throws(TrustError) {
            let file = try home.read(verifier.trustPath, limit: TrustList.sizeLimit)
            (exists, bytes, digest) = (true, file.bytes, SHA256.hash(file.bytes))
            let message = "it names nobody, so that no file counts as signed; what was in force before stays"
            problems =
                verifier.namesSigner(file.bytes) ? [] : [Diagnostic(file: shown, code: .empty, message: message)]
        } catch {
            bytes = nil
            digest = recorded
            let isVisible = TrustList.isVisible(verifier, root: home.root)
            exists = isVisible || recorded != nil && !(home.isOpen && error.isMissing)
            guard isVisible || (exists && !error.isMissing) else {
                problems = []
                return
            }
            let meaning =
                recorded != nil
                ? "only what was verified before counts as signed"
                : "until it can be read, no file counts as signed, and what was in force before stays"
            problems = [
                Diagnostic(
                    file: shown, code: .unreadable, message: "who may sign policy cannot be told: \(error); \(meaning)")
            ]
        }
    }

    /// Whether the path exists, even as a dangling link, or its existence is unknown.
    private static func isVisible(_ verifier: SignatureVerifier, root: Root) -> Bool {
        do throws(SystemError) {
            _ = try root.status(verifier.trustPath, followingLinks: false)
            return true
        } catch {
            return !error.isMissing
        }
    }
}

/// The entries of a list of signers, with the expiry of their keys.
///
/// The list has the form of `ssh-keygen`'s `ALLOWED SIGNERS`. Only the tool decides which signer made a signature.
struct AllowedSigners {
    /// A line of the list.
    struct Line {
        /// The patterns of names, as written.
        let principals: String
        /// The expiry of the key, if one is given; a time in the past if it is invalid.
        let validBefore: Timestamp?
    }

    /// The lines that name a signer and a key.
    package let lines: [Line]

    /// Parses a list; invalid lines are ignored, as the tool does.
    init(_ bytes: [UInt8], zones: ZoneDatabase = ZoneDatabase(root: .system)) {
        lines = bytes.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }).compactMap { line in
            let fields = AllowedSigners.fields(line)
            guard fields.count >= 3, fields[0].first != UInt8(ascii: "#") else { return nil }
            // One field of options may come between name and key.
            guard let type = [1, 2].first(where: { $0 + 1 < fields.count && AllowedSigners.isKeyType(fields[$0]) })
            else { return nil }
            let options = type == 2 ? AllowedSigners.options(fields[1]) : []
            let end = options.lazy.compactMap(AllowedSigners.validBefore).first
            return Line(
                principals: String(decoding: AllowedSigners.unquoted(fields[0]), as: UTF8.self),
                validBefore: end.map { AllowedSigners.time($0, zones) ?? Timestamp(microseconds: 0) })
        }
    }

    /// The next time at which one of the keys of these patterns expires, so that the tool must be asked again; `nil` if
    /// none does.
    package func end(of principals: String, after now: Timestamp) -> Timestamp? {
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

    /// Parses `YYYYMMDD`, `YYYYMMDDHHMM` or `YYYYMMDDHHMMSS`, with `Z` in universal time, else in local time.
    private static func time(_ text: ArraySlice<UInt8>, _ zones: ZoneDatabase) -> Timestamp? {
        let isUniversal = text.last == UInt8(ascii: "Z")
        var digits = Array(isUniversal ? text.dropLast() : text)
        guard [8, 12, 14].contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        digits += [UInt8](repeating: 0x30, count: 14 - digits.count)
        func part(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
        let date = "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))"
        guard let time = Timestamp(rfc3339: "\(date)T\(part(8..<10)):\(part(10..<12)):\(part(12..<14))Z") else {
            return nil
        }
        if isUniversal { return time }
        // An unreadable zone counts as the easternmost one, so that the key expires too early rather than too late.
        let zone = try? zones.zone(named: nil)
        var seconds = zone.map { Int64($0.local(at: time).offset) } ?? 14 * 3_600
        let guess = Timestamp(microseconds: time.microseconds - seconds * 1_000_000)
        if let zone { seconds = max(seconds, Int64(zone.local(at: guess).offset)) }
        return Timestamp(microseconds: time.microseconds - seconds * 1_000_000)
    }
}
