import Glibc

extension Root {
    /// Gives a directory to a user and a group; a link as the last name is followed.
    package func changeOwner(ofDirectory path: String, user: UInt32, group: UInt32) throws(SystemError) {
        let descriptor = try open(path, .directory)
        let raw = descriptor.raw
        try SystemCall.run("change the owner of", display(path)) { fchown(raw, user, group) }
    }
}
