/// A URL as NSKeyedArchiver writes one: the archive that NSUserDefaults stores for a URL that is no path.
///
/// The layout is that of the archives that Foundation writes, open on Linux: a property list with `$archiver`
/// (`NSKeyedArchiver`), `$version` (100000), `$top` (`root`) and `$objects`, in which a UID is an index. An NSURL is a
/// dictionary with `NS.relative`, its text, `NS.base`, another NSURL or the null at index 0, and `$class`.
package struct URLArchive: Hashable, Sendable {
    /// The text of the URL, relative where there are bases.
    package let relative: String
    /// The texts of the URLs that it is relative to, each relative to the next; the last is absolute.
    package let bases: [String]

    /// Names a URL.
    package init(relative: String, bases: [String] = []) {
        self.relative = relative
        self.bases = bases
    }

    /// The most bases of a URL; Foundation itself makes at most one.
    static let baseLimit = 8
    /// The bounds of an archive: 16 MiB hold any URL that somebody has a use for.
    static let limits = Limits(bytes: 16 << 20, depth: 8, objects: 4096)
    /// The key under which property lists without UIDs write a UID.
    static let uid: Key = "CF$UID"
}
