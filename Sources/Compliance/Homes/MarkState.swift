/// What has become of a mark that root looks for in a user's state folder.
package enum MarkState: UInt8, Sendable {
    /// It stands there.
    case present = 1
    /// It is not there.
    case gone = 2
    /// Another occasion stands in its place, which policy gave no reason for.
    case changed = 3
}
