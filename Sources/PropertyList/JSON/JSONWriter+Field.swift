extension JSONWriter {
    /// Writes a member that is a string, or nothing for `nil`.
    package mutating func field(_ name: String, _ value: String?) {
        guard let value else { return }
        member(name)
        string(value)
    }

    /// Writes a member that is a whole number, or nothing for `nil`.
    package mutating func field(_ name: String, _ value: Int?) {
        guard let value else { return }
        member(name)
        integer(value)
    }

    /// Writes a member that is a truth value, or nothing for `nil`.
    package mutating func field(_ name: String, _ value: Bool?) {
        guard let value else { return }
        member(name)
        boolean(value)
    }

    /// Writes a member that is a property list, or nothing for `nil`.
    package mutating func field(_ name: String, _ value: Value?) {
        guard let value else { return }
        member(name)
        self.value(value)
    }
}
