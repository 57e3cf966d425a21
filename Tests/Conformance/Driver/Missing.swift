/// A member that the subject does not have.
package struct Missing: Error {
    /// Its name.
    package let member: String

    /// Names a member.
    package init(_ member: String) {
        self.member = member
    }
}
