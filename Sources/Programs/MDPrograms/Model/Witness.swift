import MDPlatform
package import MDPropertyList
import MDTools

/// Asks a program itself what is in force in it.
///
/// The program runs with the rights of the asking process and reads what its users write, so that root asks in a child that
/// has assumed a user's ids.
package protocol Witness: Sendable {
    /// Starts the program, asks it and ends it.
    ///
    /// - Parameters:
    ///   - policy: what should be in force.
    ///   - audience: the users that the policy is for.
    ///   - place: where the program may write, and until when.
    /// - Returns: an answer for each entry of the policy, in its order.
    /// - Throws: why the program could not be asked.
    func testify(
        about policy: ProgramPolicy, for audience: Audience, at place: borrowing WitnessPlace
    ) throws(WitnessError) -> Testimony

    /// The settings in the program's files with which it lets nothing ask it, each at a path of names.
    var silencers: [(path: [Key], value: Value)] { get }

    /// The one of some audiences with the same policy for which the program can be asked best.
    func choice(of audiences: [Audience]) -> Audience?
}

extension Witness {
    package var silencers: [(path: [Key], value: Value)] { [] }

    package func choice(of audiences: [Audience]) -> Audience? { audiences.first }
}

/// What a program says.
package struct Testimony: Sendable {
    /// An answer for each entry of the policy, in its order.
    package var answers: [WitnessAnswer] = []
    /// What is in force in the program and in no entry, in byte order of the keys.
    package var foreign: [(key: Key, value: Value)] = []
    /// What the program says besides, as sentences.
    package var remarks: [String] = []
    /// The names of all policies that the program has; empty if it does not say.
    package var names: [Key] = []

    package init() {}
}

/// What a program says about one entry.
package struct WitnessAnswer: Sendable {
    /// How the program's word fits the entry.
    package enum Result: String, Sendable {
        /// It has the value, and users cannot change it.
        case enforced
        /// It has the value as long as the user chooses no other one.
        case isDefault = "default"
        /// It has another value or none, or users can change what they should not, or the reverse.
        case differs
        /// The program has no such setting or does not carry out such an entry.
        case unsupported = "not supported"
        /// The program takes the value once, and users may then change it.
        case firstState = "first state only"
        /// The program has no such name.
        case notKnown = "not known"
        /// The program says that there is an error in it.
        case error
        /// The program does not say.
        case unknown

        /// Whether the entry is in force as policy has it.
        package var isInForce: Bool { self == .enforced || self == .isDefault }
    }

    package let entry: ProgramEntry
    /// The value that the program has; `nil` if there is none, or the program does not say.
    package let value: Value?
    package let result: Result
    /// What the program says about it, as a clause; empty if there is nothing to say.
    package let note: String

    package init(_ entry: ProgramEntry, _ result: Result, value: Value? = nil, note: String = "") {
        (self.entry, self.value, self.result, self.note) = (entry, value, result, note)
    }
}

/// Why a program could not be asked.
package struct WitnessError: Error, CustomStringConvertible {
    /// A clause whose subject is the program.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    /// A system call that failed.
    init(_ error: SystemError) {
        self.init(error.isTimeout ? "it does not answer in time" : "it cannot be asked: \(error)")
    }

    /// A program that ended before it answered.
    static var ended: WitnessError { WitnessError("it ended before it answered") }

    /// An answer that makes no sense.
    static func unreadable(_ reason: String) -> WitnessError {
        WitnessError("its answer cannot be read: \(reason)")
    }
}

extension StreamSocket {
    /// Receives what arrives next, at least one byte, from a program that is asked.
    func receiveAnswer() throws(WitnessError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try receive()
        } catch {
            throw WitnessError(error)
        }
        if bytes.isEmpty { throw .ended }
        return bytes
    }

    /// Sends a question to a program.
    func sendQuestion(_ bytes: [UInt8]) throws(WitnessError) {
        do throws(SystemError) {
            try send(bytes)
        } catch {
            throw error.isClosed ? .ended : WitnessError(error)
        }
    }
}
