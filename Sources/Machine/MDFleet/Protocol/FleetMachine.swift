import MDAuditLog
package import MDPlatform

/// The machine that a host is, as its files say it: the beginnings of the digests of id, board and card.
///
/// A text such as `0123456789abcdef0123.-.0123456789abcdef`; a fact that is missing is `-`, and has not changed. An address of
/// a card, and many a number of a board, could be found by trying all. Their digests therefore have the machine's id as
/// key, which leaves the machine in no other form: two copies of one disk have the same key, and no other machine has it. Only a
/// machine without an id of its own gives digests that everybody can compute. How many digits a fact has says which it is, and
/// facts of two kinds are not compared.
package struct FleetMachine: Hashable, Sendable {
    /// The digits of a fact that everybody can compute, which the id itself is, and of one with the id as key.
    private static let (digits, keyedDigits) = (20, 16)

    /// Id, board and card.
    private let facts: [String?]

    /// The machine of a root.
    package init(of root: Root) {
        let machine = LogMachine(of: root)
        // Where the log knows of no id, the file has one for this boot only.
        let key = machine.id.flatMap { _ in Machine.machineID(root: root) }.map { Array($0.utf8) }
        let hardware = [("board", machine.board), ("card", machine.card)].map { name, fact in
            fact.map { fact in
                guard let key else { return String(fact.hex.prefix(FleetMachine.digits)) }
                let digest = SHA256.hmac(key: key, Array("managed-defaults fleet \(name) \(fact.hex)".utf8))
                return String(digest.hex.prefix(FleetMachine.keyedDigits))
            }
        }
        facts = [machine.id.map { String($0.hex.prefix(FleetMachine.digits)) }] + hardware
    }

    /// Parses a text; `nil` for anything that ``text`` did not make.
    package init?(_ text: String) {
        let words = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isGood = words.allSatisfy { word in
            word.elementsEqual([0x2d])
                || ([FleetMachine.digits, FleetMachine.keyedDigits].contains(word.count)
                    && word.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        }
        guard words.count == 3, isGood else { return nil }
        facts = words.map { $0.count == 1 ? nil : String(Substring($0)) }
    }

    private init(facts: [String?]) { self.facts = facts }

    /// The text.
    package var text: String { facts.map { $0 ?? "-" }.joined(separator: ".") }

    /// Both machines' facts of one kind, a pair for each that both have.
    private func pairs(_ other: FleetMachine) -> [(String?, String?)] {
        zip(facts, other.facts).map { one, other in
            one?.utf8.count == other?.utf8.count ? (one, other) : (nil, nil)
        }
    }

    /// Whether it is certain that another is another machine.
    package func differs(from other: FleetMachine) -> Bool {
        let pairs = pairs(other)
        return LogMachine.differ(pairs.map(\.0), pairs.map(\.1))
    }

    /// Whether another is this machine, as far as their facts tell.
    package func isSame(as other: FleetMachine) -> Bool {
        !differs(from: other) && pairs(other).contains { $0.0 != nil }
    }

    /// The facts that there are, with their places: machines that are the same have one in common.
    package var marks: [String] {
        facts.enumerated().compactMap { place, fact in fact.map { "\(place) \($0)" } }
    }

    /// These facts, and of those that are missing the other's; without an id they would be of another kind.
    package func completed(by other: FleetMachine) -> FleetMachine {
        if facts[0] == nil, other.facts[0] != nil { return other }
        return FleetMachine(facts: zip(facts, other.facts).map { $0 ?? $1 })
    }
}
