/// What every JSON report says of its own form.
package enum ReportSchema {
    /// The version of the form; another one is not read.
    package static let version = 1
    /// The kind of a report of one machine.
    package static let machine = "machine"
    /// The kind of a report that was merged of others.
    package static let merged = "merged"
}
