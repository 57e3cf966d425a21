/// Where policy keeps what it must remember.
enum StorePath {
    /// The directory of everything that is kept.
    static let home = "/var/lib/managed-defaults"
    /// The lock of those who write.
    static let lock = "\(home)/policy.lock"
    /// The record: what was in force, ids of names, host and tags.
    static let record = "\(home)/policy.record"
    /// The compiled table.
    static let table = "\(home)/policy.table"
    /// The file whose time says when policy was last applied.
    static let clock = "\(home)/policy.clock"
    /// The good copies.
    static let good = "\(home)/good"
    /// The generations of the sources.
    static let generations = "\(home)/generations"
    /// What the generations consist of, each under its digest.
    static let objects = "\(generations)/objects"
    /// The words that describe the machine.
    static let tags = "/etc/managed-defaults/tags"
}
