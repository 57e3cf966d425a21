/// The file by which a rollback finds out whether it can write, before it begins.
package enum RollbackTrial {
    /// Its name, which nobody reads.
    package static let name = ".managed-defaults-rollback"
}
