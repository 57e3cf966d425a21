/// Fields of the format that are read and refused, so that no part of a policy is ever silently not in force.
package struct RefusedFields: Sendable {
    /// The names of the fields.
    let names: Set<String>

    /// What this version does not put in force.
    package static let current = RefusedFields(names: [])

    /// Nothing.
    package static let none = RefusedFields(names: [])
}
