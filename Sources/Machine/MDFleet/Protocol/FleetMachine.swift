package import MDAuditLog
package import MDPlatform

/// The machine that a host is, as its files say it: the beginnings of the digests of id, board and card.
///
/// A text such as `0123456789abcdef0123.-.0123456789abcdef0123`; a fact that is missing is `-`, and has not changed.
package struct FleetMachine: Hashable, Sendable {
    /// The digits of a fact.
    private static let digits = 20

    /// Id, board and card.
    private let facts: [String?]

    /// The machine that a log belongs to.
    package init(_ machine: LogMachine) {
        facts = [machine.id, machine.board, machine.card].map { $0.map { String($0.hex.prefix(FleetMachine.digits)) } }
    }

    /// The machine of a root.
    package init(of root: Root) { self.init(LogMachine(of: root)) }

    /// Parses a text; `nil` for anything that ``text`` did not make.
    package init?(_ text: String) {
        let words = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isGood = words.allSatisfy { word in
            word.elementsEqual([0x2d])
                || (word.count == FleetMachine.digits
                    && word.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        }
        guard words.count == 3, isGood else { return nil }
        facts = words.map { $0.count == 1 ? nil : String(Substring($0)) }
    }

    private init(facts: [String?]) { self.facts = facts }

    /// The text.
    package var text: String { facts.map { $0 ?? "-" }.joined(separator: ".") }

    /// Whether it is certain that another is another machine.
    package func differs(from other: FleetMachine) -> Bool { LogMachine.differ(facts, other.facts) }

    /// These facts, and of those that are missing the other's.
    package func completed(by other: FleetMachine) -> FleetMachine {
        FleetMachine(facts: zip(facts, other.facts).map { $0 ?? $1 })
    }
}
