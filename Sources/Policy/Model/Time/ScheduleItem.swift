package import PropertyList

/// One item of a schedule.
package enum ScheduleItem: Hashable, Sendable {
    /// A window of its own.
    case window(Window)
    /// The windows of a calendar, by its name.
    case calendar(Key, position: Position)
}
