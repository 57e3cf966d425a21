package import MDPlatform
import MDPropertyList

/// What the collector has of a host's log on its disk: the only position of a sender.
///
/// A line `LOG SIZE ROOT`, or `LOG SIZE refused WORD`.
package struct Acknowledgement: Hashable, Sendable {
    /// What the collector says of the log.
    package enum Answer: Hashable, Sendable {
        /// It has the records; their root.
        case held(Digest)
        /// It takes nothing more until an administrator has looked; why, as a word.
        case refused(DisputeWord)
    }

    /// The id of the log.
    package let log: String
    /// The number of records that the collector has.
    package let size: Int
    /// The answer.
    package let answer: Answer

    package init(log: String, size: Int, _ answer: Answer) {
        (self.log, self.size, self.answer) = (log, size, answer)
    }

    /// The most bytes of a file.
    package static let limit = 256

    /// Parses a file; `nil` for anything that ``text`` did not make.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= Acknowledgement.limit, let text = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        let words = text.dropLast().split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3 || words.count == 4, let size = RecordBatch.number(words[1].utf8) else { return nil }
        if words.count == 4 {
            guard words[2] == "refused", let word = DisputeWord(rawValue: String(words[3])) else { return nil }
            self.init(log: String(words[0]), size: size, .refused(word))
        } else {
            guard let bytes = try? Base64.decode(Array(words[2].utf8)), let root = Digest(bytes: bytes) else {
                return nil
            }
            self.init(log: String(words[0]), size: size, .held(root))
        }
        guard self.text.utf8.elementsEqual(bytes) else { return nil }
    }

    /// The content of the file.
    package var text: String {
        switch answer {
        case .held(let root): "\(log) \(size) \(Base64.encode(root.bytes))\n"
        case .refused(let word): "\(log) \(size) refused \(word.rawValue)\n"
        }
    }
}

/// What is wrong between a host and what is held of it, as a word that files, pages and people share.
package enum DisputeWord: String, CaseIterable, Sendable {
    /// A record that the centre has is another one at the host.
    case rewritten
    /// Root or signature of a checkpoint do not fit the records.
    case altered
    /// The host was set back to an earlier state: it has fewer records than it had, or others after them.
    case rolledBack = "rolled-back"
    /// The host has another log, which no record of its old one announced.
    case exchanged
    /// Another machine speaks as this host, or this host as another.
    case copied = "copy"
    /// The host has deleted a segment that is partly here, so that the part cannot be compared any more.
    case unproven
    /// What the host sends cannot be read.
    case malformed
}
