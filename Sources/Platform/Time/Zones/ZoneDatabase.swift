/// Where the rules of time zones come from.
package struct ZoneDatabase: Sendable {
    /// The root whose `/etc/localtime` is the machine's own zone.
    let root: Root

    /// Makes a database of a root.
    package init(root: Root) {
        self.root = root
    }
}
