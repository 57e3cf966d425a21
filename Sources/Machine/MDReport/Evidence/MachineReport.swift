package import MDAuditLog
import MDCare
package import MDPlatform
package import MDPolicyModel
import MDPropertyList

/// What is taken of one machine's report when many are merged.
package struct MachineReport: Sendable {
    /// A required or constrained key of the machine.
    package struct Rule: Sendable {
        package var domain = ""
        package var key = ""
        package var title = ""
        package var controls: [String] = []
        /// How grave it is if it does not hold; `nil` if policy does not say.
        package var severity: RuleSeverity?
        package var counts = RequirementCounts()
    }

    /// A name and its attempts.
    package struct Count: Sendable {
        package var name = ""
        package var attempts = 0
        package var claimed = 0
    }

    /// A waiver of a user of the machine.
    package struct Waiver: Sendable {
        package var user = ""
        package var domain = ""
        package var key = ""
        package var state = ""
        package var until = ""
        package var reason = ""
        package var approvedBy = ""
        package var isExpired: Bool { state == "expired" }
        /// Its end for people; empty for none.
        var end: String { Timestamp(rfc3339: until).map(ReportTime.words) ?? until }
    }

    /// An error that the report has found.
    package struct Problem: Sendable {
        package var code = ""
        package var message = ""
    }

    package var id = ""
    package var host = ""
    /// The digest of the machine's id; empty if it has none.
    package var machine = ""
    /// The machine's room; empty for none.
    package var room = ""
    package var system = ""
    /// When it was made, by its clock.
    package var generated = Timestamp(microseconds: 0)
    /// Whether that clock was given, and is not that of the machine.
    package var isClockGiven = false
    package var engine = ""
    /// The digest of all policy; empty if it is unknown.
    package var policyDigest = ""
    package var verdict = ComplianceVerdict.nothing
    package var isComplete = false
    package var users = 0
    /// The requirements by what is known of them.
    package var counts = RequirementCounts()
    /// The rules about the machine, in the order of their kinds.
    package var machineRules: [MachineRule] = []
    package var attempts = 0
    package var claimed = 0
    package var dropped = 0
    package var claimedDropped = 0
    package var hidden = 0
    /// The first waivers, those that are expired before the others.
    package var waivers: [Waiver] = []
    package var waiverCount = 0
    package var expiredWaivers = 0
    package var rules: [Rule] = []
    package var attemptsByUser: [Count] = []
    package var attemptsByKey: [Count] = []
    package var attemptsByProgram: [Count] = []
    package var attemptsByDay: [Count] = []
    package var hours = [Int](repeating: 0, count: 24)
    /// The first errors.
    package var errors: [Problem] = []
    package var errorCount = 0
    /// The state of the audit log.
    package var logStatus = ""
    /// Whether the audit log verifies; `nil` where the report's maker could not read it.
    package var isLogVerified: Bool?
    /// The head of the audit log when the report was made; `nil` if it says none.
    package var head: Checkpoint?
    /// The time of the last record of that log; `nil` if it says none.
    package var last: Timestamp?
    /// The name in the list of signers by which its signature was checked; empty if none was.
    package var signer = ""
    /// The digest of the report.
    package var digest: Digest?

    package init() {}
}

extension MachineReport {
    /// The most bytes of a report.
    package static let sizeLimit = 256 << 20
    /// The most elements that are taken of a list; a report with more rules is refused, further names of attempts are
    /// left out.
    private static let listLimit = 100_000
    /// The most names of attempts that are taken of a report.
    private static let nameLimit = 200
    /// The most waivers that are taken of a report.
    private static let waiverLimit = 100
    /// The most characters that are taken of the words of a rule about the machine.
    private static let wordLimit = 1_000
    /// The most errors whose words are taken.
    private static let errorLimit = 3

    /// Reads a report.
    ///
    /// - Throws: what is wrong with it: it is cut, damaged, changed, or of another form.
    package init(reading bytes: [UInt8]) throws(ReportFault) {
        self.init()
        // What kind of document it is comes first, because another version may have another digest.
        try self = ReportCursor.read(bytes) { cursor throws(ReportFault) in
            var report = MachineReport()
            try report.read(&cursor)
            return report
        }
        switch ReportSeal.check(bytes) {
        case .fits(let digest): self.digest = digest
        case .differs:
            throw ReportFault("it was changed after it was made: its digest does not fit its content")
        case .missing: throw ReportFault("the digest at its end is missing: it was cut, or written by something else")
        }
    }

    /// What policy asks about the machine, as a report that goes to a fleet's centre has it: a JSON object.
    ///
    /// - Parameters:
    ///   - bytes: the report.
    ///   - limit: the most bytes of the object.
    /// - Returns: the object; `nil` if the report has none.
    /// - Throws: if the report does not read, or the object is larger.
    package static func facts(in bytes: [UInt8], limit: Int) throws(ReportFault) -> [UInt8]? {
        try ReportCursor.read(bytes) { cursor throws(ReportFault) in
            var facts: [UInt8]?
            try cursor.object { cursor, name throws(ReportFault) in
                if name == "facts" { facts = try cursor.value(limit: limit) } else { try cursor.skip() }
            }
            return facts
        }
    }

    private mutating func read(_ cursor: inout ReportCursor) throws(ReportFault) {
        var seen: Set<Key> = []
        var (schema, kind): (Int?, String?)
        try cursor.object { cursor, name throws(ReportFault) in
            guard seen.insert(Key(name)).inserted else { throw cursor.fault("the member \(name) stands twice") }
            switch name {
            case "schema":
                schema = try cursor.count()
                guard schema == ReportSchema.version else {
                    throw cursor.fault(
                        "it is a report of version \(schema ?? 0), and version \(ReportSchema.version) is read here")
                }
            case "kind":
                kind = try cursor.string(limit: 32)
                guard kind == ReportSchema.machine else { throw cursor.fault("it is no report of one machine") }
            default: try member(name, &cursor)
            }
        }
        guard schema != nil, kind != nil else { throw ReportFault("it is no report: it does not say its version") }
        let required = ["id", "host", "made", "result", "summary", "requirements", "machineRules", "rules", "log"]
        for name in required where !seen.contains(Key(name)) {
            throw ReportFault("its member \(name) is missing")
        }
        let isMet = counts.notMet == 0 && counts.unknown == 0 && machineRules.allSatisfy { $0.state == .met }
        if verdict == .compliant, !isMet {
            throw ReportFault("its result is compliant, and what it says of its rules is not")
        }
    }

    /// Reads the rules about the machine: each once, in the order of their kinds.
    private mutating func readMachineRules(_ cursor: inout ReportCursor) throws(ReportFault) {
        try cursor.array { cursor throws(ReportFault) in
            var (kind, state, words) = ("", RequirementState?.none, "")
            try cursor.object { cursor, name throws(ReportFault) in
                switch name {
                case "rule": kind = try cursor.string(limit: 64)
                case "result": state = RequirementState(rawValue: try cursor.string(limit: 64))
                case "words": words = try cursor.string()
                default: try cursor.skip()
                }
            }
            let next = MachineRule.Kind.allCases.dropFirst(machineRules.count).first
            guard let next, Key(kind) == Key(next.rawValue), let state else {
                throw cursor.fault("this is no rule about a machine, or not the next one")
            }
            machineRules.append(
                MachineRule(next, state, state == .met ? "" : String(words.prefix(MachineReport.wordLimit))))
        }
        guard machineRules.count == MachineRule.Kind.allCases.count else {
            throw cursor.fault("a rule about the machine is missing")
        }
    }

    private mutating func member(_ name: String, _ cursor: inout ReportCursor) throws(ReportFault) {
        switch name {
        case "id": id = try cursor.string(limit: 64)
        case "host": host = try cursor.string(limit: 256)
        case "engine": engine = try cursor.string(limit: 64)
        case "policyDigest": policyDigest = try cursor.string(limit: 64)
        case "complete": isComplete = try cursor.boolean()
        case "made": generated = try MachineReport.time(&cursor)
        case "clock": isClockGiven = try cursor.string(limit: 64) != "machine"
        case "result":
            guard let verdict = ComplianceVerdict(rawValue: try cursor.string(limit: 64)) else {
                throw cursor.fault("this is no result of a report")
            }
            self.verdict = verdict
        case "machine":
            try cursor.object { cursor, name throws(ReportFault) in
                switch name {
                case "id": machine = try cursor.string(limit: 64)
                case "room": room = try cursor.string(limit: 256)
                default: try cursor.skip()
                }
            }
        case "system":
            try cursor.object { cursor, name throws(ReportFault) in
                if name == "name" { system = try cursor.string(limit: 256) } else { try cursor.skip() }
            }
        case "summary": try readSummary(&cursor)
        case "requirements": counts = try MachineReport.readCounts(&cursor)
        case "machineRules": try readMachineRules(&cursor)
        case "rules": try readRules(&cursor)
        case "attemptsBy": try readAttempts(&cursor)
        case "waivers": try readWaivers(&cursor)
        case "findings": try readFindings(&cursor)
        case "log":
            try cursor.object { cursor, name throws(ReportFault) in
                switch name {
                case "status": logStatus = try cursor.string(limit: 64)
                case "verified": isLogVerified = try cursor.boolean()
                case "head": head = try MachineReport.head(&cursor)
                case "last": last = try MachineReport.time(&cursor)
                default: try cursor.skip()
                }
            }
        default: try cursor.skip()
        }
    }

    /// Reads a time.
    private static func time(_ cursor: inout ReportCursor) throws(ReportFault) -> Timestamp {
        let text = try cursor.string(limit: 64)
        guard let time = Timestamp(rfc3339: text) else { throw cursor.fault("this is no time of RFC 3339") }
        return time
    }

    /// Reads the head of a log.
    private static func head(_ cursor: inout ReportCursor) throws(ReportFault) -> Checkpoint {
        var (origin, size, root): (String, Int, Digest?) = ("", 0, nil)
        try cursor.object { cursor, name throws(ReportFault) in
            switch name {
            case "origin": origin = try cursor.string(limit: 512)
            case "size": size = try cursor.count()
            case "root":
                let text = try cursor.string(limit: 64)
                root = (try? Base64.decode(text.utf8)).flatMap { Digest(bytes: $0) }
            default: try cursor.skip()
            }
        }
        guard let root, Checkpoint.isOrigin(origin) else { throw cursor.fault("this is no head of an audit log") }
        return Checkpoint(origin: origin, size: size, root: root)
    }

    private mutating func readSummary(_ cursor: inout ReportCursor) throws(ReportFault) {
        try cursor.object { cursor, name throws(ReportFault) in
            switch name {
            case "users": users = try cursor.count()
            case "attempts": attempts = try cursor.count()
            case "claimed": claimed = try cursor.count()
            case "dropped": dropped = try cursor.count()
            case "claimedDropped": claimedDropped = try cursor.count()
            case "hidden": hidden = try cursor.count()
            default: try cursor.skip()
            }
        }
    }

    private mutating func readRules(_ cursor: inout ReportCursor) throws(ReportFault) {
        try cursor.array { cursor throws(ReportFault) in
            var (rule, counts) = (Rule(), Counts())
            try cursor.object { cursor, name throws(ReportFault) in
                if try counts.read(name, &cursor) { return }
                switch name {
                case "domain": rule.domain = try cursor.string()
                case "key": rule.key = try cursor.string()
                case "title": rule.title = try cursor.string()
                case "controls":
                    try cursor.array { cursor throws(ReportFault) in rule.controls.append(try cursor.string()) }
                case "severity": rule.severity = RuleSeverity(rawValue: try cursor.string(limit: 64))
                default: try cursor.skip()
                }
            }
            rule.counts = try counts.checked(&cursor)
            guard rules.count < MachineReport.listLimit else { throw cursor.fault("it has too many rules") }
            rules.append(rule)
        }
    }

    private mutating func readAttempts(_ cursor: inout ReportCursor) throws(ReportFault) {
        try cursor.object { cursor, name throws(ReportFault) in
            switch name {
            case "user": attemptsByUser = try MachineReport.counts(&cursor)
            case "key": attemptsByKey = try MachineReport.counts(&cursor)
            case "program": attemptsByProgram = try MachineReport.counts(&cursor)
            case "day": attemptsByDay = try MachineReport.counts(&cursor)
            case "hour":
                var hour = 0
                try cursor.array { cursor throws(ReportFault) in
                    let count = try cursor.count()
                    guard hour < 24 else { throw cursor.fault("a day has 24 hours") }
                    hours[hour] = count
                    hour += 1
                }
            default: try cursor.skip()
            }
        }
    }

    /// Reads names with their attempts; a key is the domain and the key.
    private static func counts(_ cursor: inout ReportCursor) throws(ReportFault) -> [Count] {
        var counts: [Count] = []
        try cursor.array { cursor throws(ReportFault) in
            var (count, domain, key) = (Count(), "", "")
            try cursor.object { cursor, name throws(ReportFault) in
                switch name {
                case "name", "day": count.name = try cursor.string()
                case "domain": domain = try cursor.string()
                case "key": key = try cursor.string()
                case "attempts": count.attempts = try cursor.count()
                case "claimed": count.claimed = try cursor.count()
                default: try cursor.skip()
                }
            }
            if count.name.isEmpty { count.name = "\(domain) \(key)" }
            if counts.count < nameLimit { counts.append(count) }
        }
        return counts
    }

    private mutating func readWaivers(_ cursor: inout ReportCursor) throws(ReportFault) {
        var others: [Waiver] = []
        try cursor.array { cursor throws(ReportFault) in
            var waiver = Waiver()
            try cursor.object { cursor, name throws(ReportFault) in
                switch name {
                case "user": waiver.user = try cursor.string(limit: 256)
                case "domain": waiver.domain = try cursor.string()
                case "key": waiver.key = try cursor.string()
                case "state": waiver.state = try cursor.string(limit: 64)
                case "until": waiver.until = try cursor.string(limit: 64)
                case "reason": waiver.reason = try cursor.string(limit: 1 << 16)
                case "approvedBy": waiver.approvedBy = try cursor.string(limit: 1 << 16)
                default: try cursor.skip()
                }
            }
            waiverCount += 1
            if waiver.isExpired {
                expiredWaivers += 1
                if waivers.count < MachineReport.waiverLimit { waivers.append(waiver) }
            } else if others.count < MachineReport.waiverLimit {
                others.append(waiver)
            }
        }
        waivers += others.prefix(MachineReport.waiverLimit - waivers.count)
    }

    private mutating func readFindings(_ cursor: inout ReportCursor) throws(ReportFault) {
        try cursor.array { cursor throws(ReportFault) in
            var (problem, isError) = (Problem(), false)
            try cursor.object { cursor, name throws(ReportFault) in
                switch name {
                case "severity": isError = try cursor.string(limit: 64) == FindingSeverity.error.rawValue
                case "code": problem.code = try cursor.string(limit: 256)
                case "message": problem.message = try cursor.string(limit: 1 << 16)
                default: try cursor.skip()
                }
            }
            guard isError else { return }
            errorCount += 1
            if errors.count < MachineReport.errorLimit { errors.append(problem) }
        }
    }
}
