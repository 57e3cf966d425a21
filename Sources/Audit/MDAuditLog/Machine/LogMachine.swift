package import MDPlatform

/// The machine that a log belongs to: a copied disk has the log of its original, and must begin one of its own.
///
/// Each fact is a digest. A fact that is missing on one side has not changed.
package struct LogMachine: Equatable, Sendable {
    /// The most bytes of a file of facts.
    private static let limit = 1_024
    /// The first line of a file.
    private static let header = "managed-defaults machine 1"

    /// The machine's id; `nil` where there is none, or one is made at each boot.
    package let id: Digest?
    /// The UUID of the board.
    package let board: Digest?
    /// The permanent address of a network card that is built in, which counts where the board is unknown.
    package let card: Digest?

    package init(id: Digest? = nil, board: Digest? = nil, card: Digest? = nil) {
        (self.id, self.board, self.card) = (id, board, card)
    }

    /// The machine that this process runs on, or that a folder represents; its hardware as root wrote it for this boot.
    package init(of root: Root) {
        let hardware = (try? root.readTrusted(Hardware.path, limit: LogMachine.limit).bytes).flatMap {
            LogMachine(text: $0)
        }
        // An id for one boot is in /run, and mounted over the file.
        let id = root.mayExist("/run/machine-id") ? nil : Machine.machineID(root: root)
        self.init(id: LogMachine.digest("id", id), board: hardware?.board, card: hardware?.card)
    }

    /// Parses a file; `nil` for anything that ``text`` did not make.
    init?(text bytes: [UInt8]) {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 5, lines[0] == LogMachine.header else { return nil }
        let facts = lines[1...3].map { Digest(hex: String($0)) }
        self.init(id: facts[0], board: facts[1], card: facts[2])
        guard text.utf8.elementsEqual(bytes) else { return nil }
    }

    /// The content of a file.
    var text: String {
        [LogMachine.header, id?.hex ?? "-", board?.hex ?? "-", card?.hex ?? "-", ""].joined(separator: "\n")
    }

    /// The digest of a fact, with a key, so that it is not that of the fact elsewhere.
    static func digest(_ name: String, _ fact: String?) -> Digest? {
        fact.map { SHA256.hmac(key: Array("managed-defaults machine \(name)".utf8), Array($0.utf8)) }
    }

    /// Whether it is certain that another is another machine.
    func differs(from other: LogMachine) -> Bool {
        LogMachine.differ([id, board, card], [other.id, other.board, other.card])
    }

    /// Whether it is certain that facts are those of different machines.
    ///
    /// - Parameters:
    ///   - one: id, board and card of a machine; `nil` for one that is missing, which has not changed.
    ///   - other: those of the other one.
    /// - Returns: whether a fact that both have differs; a board that both have decides before their cards.
    package static func differ<Fact: Equatable>(_ one: [Fact?], _ other: [Fact?]) -> Bool {
        let known = zip(one, other).map { one, other in
            if let one, let other { one == other } else { Bool?.none }
        }
        // A board that both have decides; only without one the card does.
        return known.first?.map(!) == true || known.dropFirst().compactMap(\.self).first == false
    }

    /// These facts, and of those that are missing the other's.
    func completed(by other: LogMachine) -> LogMachine {
        LogMachine(id: id ?? other.id, board: board ?? other.board, card: card ?? other.card)
    }

    /// Reads what is noted of the log; `nil` if nothing is, as of a log that was begun by an earlier version.
    static func noted(_ root: Root) throws(SystemError) -> LogMachine? {
        let bytes = try LogFiles.ifPresent { () throws(SystemError) in
            try root.read(LogFiles.current.machine, limit: limit).bytes
        }
        return bytes.flatMap { LogMachine(text: $0) }
    }
}
