/// Why records of a person were not stored; the spelling is that of answers and of notes in the log.
package enum DropReason: String, CaseIterable, Sendable {
    /// The person sent more in a short time than is accepted.
    case rate
    /// The person's records of the day take as much space as is allowed.
    case volume
    /// The log takes as much space as it may, and no record in it is old enough to be deleted.
    case full
    /// The message was not understood, or held a record that its sender may not send.
    case invalid
    /// The log could not be written, and the sender did not wait for an answer.
    case storage
    /// The sender could not send them, and said so later.
    case unsent
    /// The service was killed after it had read them, and before they were stored.
    case interrupted
    /// Records that were not stored said that they count so many more attempts.
    case claimed

    /// Whether the number is what the sender says, and nothing that the service has seen.
    package var isClaim: Bool { self == .unsent || self == .claimed }

    /// A sentence for people.
    package var sentence: String {
        switch self {
        case .rate: "The user made more attempts in a short time than are stored."
        case .volume: "The records of the user took as much space in a day as is allowed."
        case .full: "The log takes as much space as it may, and nothing in it is old enough to be deleted."
        case .invalid: "The messages were not valid."
        case .storage: "The log could not be written."
        case .unsent: "The processes of the user could not send them, and said so later."
        case .interrupted: "The audit service was killed before it stored them."
        case .claimed: "The records that were not stored said that they count so many attempts more."
        }
    }
}
