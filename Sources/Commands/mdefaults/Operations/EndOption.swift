import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTools

/// The options `--for` and `--until`: when temporary policy ends.
enum EndOption {
    /// The lines about both options in the help of a verb.
    static let help = """
        --for TIME      how long: 45m, 2h, 1h30m, 90s or 3d, at most 366 days
        --until TIME    until when: 11:00, Mon 11:00, tomorrow 8:00, 2026-11-30, or a moment of RFC 3339; of an hour
                        that is over today the next one, asked about if it is more than 6 hours away
        --yes           do not ask; needed where nobody could answer
        """

    /// The longest time, in seconds.
    private static let longest: Int64 = 366 * 86_400

    /// How far the next one of an hour that is over today may be without a question, in microseconds.
    private static let unasked: Int64 = 6 * 3_600_000_000

    /// Parses both options and `--yes`; exactly one of both is required.
    ///
    /// - Parameters:
    ///   - arguments: the arguments behind the verb.
    ///   - context: the machine whose time zone applies.
    /// - Returns: the end, later than now, and whether it is agreed to, so that nothing else has to be asked about.
    /// - Throws: a usage failure for anything else.
    static func parse(
        _ arguments: inout Arguments, _ context: Context
    ) throws(Failure) -> (end: Timestamp, isAgreed: Bool) {
        let (duration, until) = (try arguments.option("--for"), try arguments.option("--until"))
        let isAgreed = arguments.flag("--yes")
        let now = Clock.now()
        let verb = arguments.verb
        switch (duration, until) {
        case (let text?, nil):
            guard let seconds = TimeExpression(text)?.duration, (1...longest).contains(seconds) else {
                throw .usage("\(Printable.escape(text)) is no time such as 45m or 1h30m, up to 366d.", of: verb)
            }
            // Whole seconds, so that messages, records and the file have the same time.
            return (Timestamp(microseconds: (now.microseconds / 1_000_000 + seconds + 1) * 1_000_000), isAgreed)
        case (nil, let text?):
            guard let expression = TimeExpression(text) else {
                throw .usage("--until \(Printable.escape(text)) is no time \(TimeArgument.forms).", of: verb)
            }
            let end = try TimeArgument.resolve(
                "--until", text, expression, .ahead, in: context, of: verb, saying: false)
            guard end > now else { throw .usage("\(Printable.escape(text)) is over already.", of: verb) }
            guard end.microseconds - now.microseconds <= longest * 1_000_000 else {
                throw .usage("\(Printable.escape(text)) is more than 366 days away.", of: verb)
            }
            let isAsked = try isAgreed ? false : requireAgreement(text, expression, end, now, context, verb)
            return (end, isAgreed || isAsked)
        case (nil, nil): throw .usage("Say when it ends, with --for or --until.", of: verb)
        default: throw .usage("Give one of --for and --until.", of: verb)
        }
    }

    /// Asks about an hour that is over today if the next one is far away: an exam of three hours would take a day.
    ///
    /// - Returns: whether a person was asked, and agreed.
    private static func requireAgreement(
        _ text: String, _ expression: TimeExpression, _ end: Timestamp, _ now: Timestamp, _ context: Context,
        _ verb: any Verb.Type
    ) throws(Failure) -> Bool {
        let distance = end.microseconds - now.microseconds
        let moment = Moment(time: now, zones: ZoneDatabase(root: try context.root()))
        guard distance > unasked,
            expression.isOverToday(at: now, in: try TimeArgument.zone(of: expression, moment.zones))
        else { return false }
        let until = moment.words(for: end)
        context.console.say(
            "\(Printable.escape(text)) is over today, and the next one is \(until), in \(distance / 3_600_000_000) hours."
        )
        try PolicyWriting.requireAgreement(
            "Is that meant?", orElse: "--yes says so, and so does --until with the day, or --for", context, verb)
        return true
    }
}
