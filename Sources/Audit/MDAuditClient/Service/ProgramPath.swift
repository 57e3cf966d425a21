import MDAuditRecord
import MDPlatform

/// The question which program a process runs, between the audit service and the part of root that may read the link.
///
/// The question is one byte with the descriptor of a process. The answer is a byte that says whether the link was read,
/// and the bytes of the link as they are: root parses nothing of them.
package enum ProgramPath {
    /// The socket, under the root; only the service's user may connect.
    package static let socketPath = "/run/managed-defaults/exe.sock"
    /// The question.
    package static let question: [UInt8] = [1]
    /// The most bytes of an answer.
    package static let longestAnswer = 4_097
    /// The account of the service on a machine.
    package static let account = "mdefaultsd"

    /// The path of this program, which its messages claim: where root is not there to ask, the service cannot read that of
    /// another user's process.
    static let own = CurrentProcess.executablePath.map { AuditRecord.shorten($0, to: 512) }

    /// The answer with the bytes of a link; `nil` if it could not be read.
    package static func answer(_ link: [UInt8]?) -> [UInt8] { link.map { [1] + $0 } ?? [0] }

    /// The path in an answer, or `nil`.
    ///
    /// What is not UTF-8 in it becomes U+FFFD.
    package static func path(in answer: [UInt8]) -> String? {
        guard answer.first == 1, answer.count > 1 else { return nil }
        return String(decoding: answer.dropFirst(), as: UTF8.self)
    }
}
