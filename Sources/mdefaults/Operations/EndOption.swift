import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore

/// The options `--for` and `--until`: when temporary policy ends.
enum EndOption {
    /// The lines about both options in the help of a verb.
    static let help = """
        --for TIME      how long: 45m, 2h, 1h30m, 90s or 3d, at most 366 days
        --until TIME    until when: HH:MM on the machine's clock, today or else tomorrow, or a time of RFC 3339
        """

    /// The longest time, in seconds.
    private static let longest: Int64 = 366 * 86_400

    /// Parses both options; exactly one is required.
    ///
    /// - Parameters:
    ///   - arguments: the arguments behind the verb.
    ///   - context: the machine whose time zone applies.
    /// - Returns: the end, later than now.
    /// - Throws: a usage failure for anything else.
    static func parse(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> Timestamp {
        let (duration, until) = (try arguments.option("--for"), try arguments.option("--until"))
        let now = Clock.now()
        let verb = arguments.verb
        switch (duration, until) {
        case (let text?, nil):
            guard let seconds = seconds(text), (1...longest).contains(seconds) else {
                throw .usage("\(Printable.escape(text)) is no time such as 45m or 1h30m, up to 366d.", of: verb)
            }
            // Whole seconds, so that messages, records and the file have the same time.
            return Timestamp(microseconds: (now.microseconds / 1_000_000 + seconds + 1) * 1_000_000)
        case (nil, let text?):
            let end = try moment(text, context, verb)
            guard end > now else { throw .usage("\(Printable.escape(text)) is over already.", of: verb) }
            guard end.microseconds - now.microseconds <= longest * 1_000_000 else {
                throw .usage("\(Printable.escape(text)) is more than 366 days away.", of: verb)
            }
            return end
        case (nil, nil): throw .usage("Say when it ends, with --for or --until.", of: verb)
        default: throw .usage("Give one of --for and --until.", of: verb)
        }
    }

    /// Parses days, hours, minutes and seconds, each at most once and in this order; returns seconds.
    private static func seconds(_ text: String) -> Int64? {
        var bytes = text.utf8[...]
        var total: Int64 = 0
        let units: [(letter: UInt8, seconds: Int64)] = [
            (UInt8(ascii: "d"), 86_400), (UInt8(ascii: "h"), 3_600), (UInt8(ascii: "m"), 60), (UInt8(ascii: "s"), 1),
        ]
        guard !bytes.isEmpty else { return nil }
        for unit in units {
            let digits = bytes.prefix { (0x30...0x39).contains($0) }
            guard digits.count <= 9, bytes.dropFirst(digits.count).first == unit.letter else { continue }
            guard let number = Int64(String(Substring(digits))) else { return nil }
            total += number * unit.seconds
            bytes = bytes.dropFirst(digits.count + 1)
        }
        return bytes.isEmpty ? total : nil
    }

    /// Parses a time of day, or a moment of RFC 3339.
    private static func moment(
        _ text: String, _ context: Context, _ verb: any Verb.Type
    ) throws(Failure) -> Timestamp {
        if let time = Timestamp(rfc3339: text) { return time }
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.count == 2 && part.allSatisfy { (0x30...0x39).contains($0) } ? Int(Substring(part)) : nil
        }
        guard parts.count == 2, numbers.count == 2, numbers[0] < 24, numbers[1] < 60 else {
            throw .usage(
                "\(Printable.escape(text)) is neither a time of day such as 11:00 nor one of RFC 3339.", of: verb)
        }
        let root = try context.root()
        do throws(ZoneError) {
            let now = Moment(time: Clock.now(), zones: ZoneDatabase(root: root))
            if let time = try now.next(secondOfDay: numbers[0] * 3_600 + numbers[1] * 60) { return time }
        } catch {
            throw Failure(code: .inputOutput, message: "The machine's time zone cannot be read: \(error).")
        }
        throw .usage("\(Printable.escape(text)) never comes.", of: verb)
    }
}
