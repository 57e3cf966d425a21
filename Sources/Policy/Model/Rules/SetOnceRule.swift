/// How often an entry of the level ``Level/setOnce`` is written into the user's own domain.
package enum SetOnceRule: Hashable, Sendable {
    /// Once for each identifier and version of the policy file.
    case eachVersion
    /// Once for each value of a stamp: `mcx_data_timestamp` of a profile, in RFC 3339.
    case eachStamp(String)
    /// Once in each login session: a profile's `Set-Once` without `mcx_data_timestamp`.
    case eachSession
}
