package import PropertyList

/// How often an entry of the level ``Level/setOnce`` is written into the user's own domain.
package enum SetOnceRule: Hashable, Sendable {
    /// Once for each identifier and version of the policy file.
    case eachVersion
    /// Once for each value of a stamp: `mcx_data_timestamp` of a profile, in RFC 3339.
    case eachStamp(String)
    /// Once in each login session: a profile's `Set-Once` without `mcx_data_timestamp`.
    case eachSession
}

extension SetOnceRule {
    /// The digits of a stamp that is a date, as a number; `nil` for any other stamp.
    ///
    /// It is the `Version` of a policy file that such a profile is converted to, and means the same: users whom the
    /// profile has reached keep what they have chosen since.
    package static func version(ofStamp stamp: String) -> Int64? {
        let digits = stamp.utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard stamp.utf8.count == 20, digits.count == 14, stamp.utf8.last == UInt8(ascii: "Z") else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    /// What an entry is written for, in words: where these are others than before, it is written once more.
    ///
    /// - Parameter version: the version of the policy file.
    /// - Returns: the words, not escaped; `nil` for an entry that is written in each session.
    package func occasion(version: Integer?) -> String? {
        switch self {
        case .eachVersion: version.map { "version \($0)" } ?? "no version"
        case .eachStamp(let stamp): SetOnceRule.version(ofStamp: stamp).map { "version \($0)" } ?? "stamp \(stamp)"
        case .eachSession: nil
        }
    }
}
