package import PropertyList

/// A weekly timetable with a name, which the schedules of all policy files may refer to.
///
/// It counts wherever its file is in force, whomever that file is for. Of two of one name, that of the first `Enforced`
/// file wins, else that of the last file.
package struct NamedCalendar: Hashable, Sendable {
    /// Its name.
    package let name: Key
    /// Its windows.
    package let windows: [Window]
    /// Where its name stands.
    package let position: Position

    /// Makes a calendar.
    package init(name: Key, windows: [Window], position: Position = .start) {
        self.name = name
        self.windows = windows
        self.position = position
    }
}
