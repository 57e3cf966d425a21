import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDTools

/// Parses the times of all options, and says what was understood.
enum TimeArgument {
    /// The forms, for messages.
    static let forms = "such as 09:30, Mon 11:00, 2026-11-20, 7d or 2026-11-20T08:00:00Z"

    /// Parses an option of a question about the past.
    ///
    /// - Parameters:
    ///   - option: the name of the option.
    ///   - arguments: the arguments behind the verb.
    ///   - edge: what a day without time of day means.
    ///   - context: the machine whose time zone applies.
    /// - Returns: the moment; `nil` without the option.
    /// - Throws: a usage failure for what is not a time.
    static func past(
        _ option: String, _ arguments: inout Arguments, edge: TimeExpression.Edge, _ context: Context
    ) throws(Failure) -> Timestamp? {
        guard let text = try arguments.option(option) else { return nil }
        let verb = arguments.verb
        guard let expression = TimeExpression(text) else {
            throw .usage("\(option) \(Printable.escape(text)) is no time \(forms).", of: verb)
        }
        return try resolve(
            option, text, expression, .back, edge, from: context.at() ?? context.givenClock, in: context, of: verb)
    }

    /// The moment of an expression by the machine's zone; says it if the text is not the moment itself.
    ///
    /// - Parameters:
    ///   - option: the name of the option.
    ///   - text: the value of the option.
    ///   - expression: the parsed value.
    ///   - direction: where the nearest moment is looked for.
    ///   - edge: what a day without time of day means.
    ///   - present: the moment from which the nearest one is looked for; `nil` is now.
    ///   - context: the machine whose time zone applies.
    ///   - verb: the verb whose usage a failure shows.
    ///   - saying: whether to say what was understood.
    /// - Returns: the moment.
    /// - Throws: a failure if the zone cannot be read or the moment cannot be represented.
    static func resolve(
        _ option: String, _ text: String, _ expression: TimeExpression, _ direction: TimeExpression.Direction,
        _ edge: TimeExpression.Edge = .start, from present: Timestamp? = nil, in context: Context,
        of verb: (any Verb.Type)? = nil, saying: Bool = true
    ) throws(Failure) -> Timestamp {
        let now = present ?? Clock.now()
        let moment = Moment(time: now, zones: ZoneDatabase(root: try context.root()))
        let zone = try zone(of: expression, moment.zones)
        guard let time = expression.resolve(at: now, in: zone, direction, edge: edge) else {
            throw .usage("\(option) \(Printable.escape(text)) never comes.", of: verb)
        }
        if saying, !expression.isMoment { context.console.say("\(option) \(text) is \(moment.words(for: time)).") }
        return time
    }

    /// The zone of the wall clock that an expression means.
    static func zone(of expression: TimeExpression, _ zones: ZoneDatabase) throws(Failure) -> Zone {
        do {
            return try expression.isMoment ? .utc : zones.zone(named: nil)
        } catch {
            throw Failure(code: .inputOutput, message: "The machine's time zone cannot be read: \(error).")
        }
    }
}
