/// What is known of a requirement; the raw value is printed in reports.
///
/// A requirement is a forced key, an absent key, a sealed domain or a constraint of one user, or a rule about the machine.
package enum RequirementState: String, Sendable, CaseIterable {
    /// It is known to hold.
    case met
    /// It is known not to hold.
    case notMet = "not met"
    /// Whether it holds was not looked at, or could not be.
    case unknown
    /// A waiver says that it does not apply to the user.
    case waived
    /// The only programs that take it are not installed; it counts nowhere.
    case notApplicable = "not applicable"
}

/// Requirements by what is known of them: the one denominator of all reports.
package struct RequirementCounts: Hashable, Sendable {
    package var met = 0
    package var notMet = 0
    package var unknown = 0
    package var waived = 0
    /// Those that count nowhere.
    package var notApplicable = 0

    package init() {}

    /// All that count.
    package var required: Int { met + notMet + unknown + waived }

    /// What is known of all of them together: what is not met counts before what is unknown.
    package var state: RequirementState {
        if notMet > 0 { return .notMet }
        if unknown > 0 { return .unknown }
        if met > 0 { return .met }
        return waived > 0 ? .waived : .notApplicable
    }

    /// The number of a state.
    package subscript(state: RequirementState) -> Int {
        switch state {
        case .met: met
        case .notMet: notMet
        case .unknown: unknown
        case .waived: waived
        case .notApplicable: notApplicable
        }
    }

    /// Adds a number of requirements.
    package mutating func add(_ state: RequirementState, _ count: Int = 1) {
        switch state {
        case .met: met += count
        case .notMet: notMet += count
        case .unknown: unknown += count
        case .waived: waived += count
        case .notApplicable: notApplicable += count
        }
    }

    /// Adds the numbers of other requirements.
    package mutating func add(_ other: RequirementCounts) {
        met += other.met
        notMet += other.notMet
        unknown += other.unknown
        waived += other.waived
        notApplicable += other.notApplicable
    }

    /// The share that is met in tenths of a percent, rounded down; `nil` if nothing is required.
    package var tenths: Int? { RequirementCounts.tenths(met, of: required) }

    /// The share that is met or waived in tenths of a percent, rounded down; `nil` if nothing is required.
    package var tenthsWithWaivers: Int? { RequirementCounts.tenths(met + waived, of: required) }

    /// The share that is met with its fraction: `221 of 226 (97.7 %)`.
    package var words: String { RequirementCounts.words(met, of: required) }

    /// The share that is met, and with waivers if there are any: `221 of 226 (97.7 %), with waivers 224 of 226 (99.1 %)`.
    package var allWords: String {
        waived > 0 ? "\(words), with waivers \(RequirementCounts.words(met + waived, of: required))" : words
    }

    /// A part of a whole in tenths of a percent, rounded down; `nil` of nothing.
    package static func tenths(_ part: Int, of whole: Int) -> Int? {
        guard whole > 0 else { return nil }
        return Int((Double(part) * 1_000 / Double(whole)).rounded(.down))
    }

    /// A part of a whole with its share: `221 of 226 (97.7 %)`.
    package static func words(_ part: Int, of whole: Int) -> String {
        "\(part) \(share(part, of: whole))"
    }

    /// A whole with a part's share: `of 226 (97.7 %)`.
    package static func share(_ part: Int, of whole: Int) -> String {
        "of \(whole)" + (tenths(part, of: whole).map { " (\($0 / 10).\($0 % 10) %)" } ?? "")
    }
}
