import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTools

/// Checks rules (constraints, operators, seals) against the entries that they affect.
struct LintRules {
    /// An entry of any level and its file.
    private typealias Entry = (file: LintFile, entry: PolicyEntry)

    private(set) var findings: [Diagnostic] = []
    /// The numbers of names.
    private let names: LintNames
    /// Other policy that controls keys.
    private let otherPolicy: LintOtherPolicy
    /// The sensitive keys.
    private var sensitive: Set<Int> = []
    /// The entries of each key that a rule affects.
    private var entries: [Int: [Entry]] = [:]

    /// Compares files, which are in order of application.
    init(files: [LintFile], names: LintNames, otherPolicy: LintOtherPolicy) {
        (self.names, self.otherPolicy) = (names, otherPolicy)
        for file in files {
            let policy = file.policy
            for item in policy.metadata where item.metadata.isSensitive {
                if let number = names.number(item.domain, item.key) { sensitive.insert(number) }
            }
            for item in policy.constraints { need(item.domain, item.key) }
            for item in policy.combine { need(item.domain, item.key) }
        }
        gather(files)
        for file in files {
            for item in file.policy.constraints { check(item, of: file) }
            for seal in file.policy.seals where seal.domain == "NSGlobalDomain" {
                findings.append(
                    file.warning(
                        .sealedGlobalDomain, at: seal.origin.position,
                        "sealing NSGlobalDomain makes every key that no file lists absent in every program; list the"
                            + " keys under Absent instead"))
            }
        }
        checkOperators(files)
    }

    /// Notes a key whose entries are needed.
    private mutating func need(_ domain: Key, _ key: Key) {
        if let number = names.number(domain, key) { entries[number] = [] }
    }

    /// Gathers the entries of the noted keys.
    private mutating func gather(_ files: [LintFile]) {
        if entries.isEmpty { return }
        var index = 0
        for file in files {
            for entry in file.policy.entries {
                entries[Int(names.entries[index])]?.append((file, entry))
                index += 1
            }
        }
    }

    private func entries(_ domain: Key, _ key: Key) -> [Entry] {
        names.number(domain, key).flatMap { entries[$0] } ?? []
    }

    private func isSensitive(_ domain: Key, _ key: Key) -> Bool {
        names.number(domain, key).map { sensitive.contains($0) } ?? false
    }

    /// Reports values that a constraint does not allow.
    private mutating func check(_ item: ConstraintEntry, of file: LintFile) {
        for (other, entry) in entries(item.domain, item.key) {
            // The value of a variable is not known here.
            guard let value = entry.value?.value, !entry.hasVariables, item.constraint.verdict(on: value) != .allowed,
                file.target.mayOverlap(other.target)
            else { continue }
            let words = isSensitive(item.domain, item.key) ? "" : " (\(Printable.escape(item.constraint.words)))"
            let (noun, end): (String, String)
            switch entry.level {
            case .forced: (noun, end) = ("the forced value", "it is in force nevertheless")
            case .recommended: (noun, end) = ("the recommended value", "it counts until a user chooses an allowed one")
            case .setOnce: (noun, end) = ("the value that is set once", "it is written, and then not obeyed")
            case .absent: continue
            }
            findings.append(
                other.warning(
                    .outsideConstraint, at: entry.origin.position,
                    "\(noun) of \"\(Printable.escape(entry.key.string))\" is outside of the constraint at"
                        + " \(file.place(item.origin.position))\(words); \(end)"))
        }
    }

    /// Reports operators that disagree, have nothing to combine, or cannot combine the values.
    private mutating func checkOperators(_ files: [LintFile]) {
        var first: [Int: [(file: LintFile, item: CombineEntry)]] = [:]
        for (index, file) in files.enumerated() {
            for item in file.policy.combine {
                guard let name = names.number(item.domain, item.key) else { continue }
                let shown = Printable.escape(item.key.string)
                let all = entries[name] ?? []
                /// Whether something is not what the same common setting became, of whose domain the same is found.
                func isApart(_ origin: Origin) -> Bool {
                    item.origin.source.setting.map { $0 != origin.source.setting } ?? true
                }
                // If an earlier file ends the combination, the operator of this file does not count.
                let other = first[name]?.first {
                    $0.item.combine != item.combine && isApart($0.item.origin) && $0.file.target.mayOverlap(file.target)
                        && LintRules.end(of: all, before: files[..<index], for: [$0.file, file]) == nil
                }
                first[name, default: []].append((file, item))
                if let other {
                    findings.append(
                        file.error(
                            .combineDisagrees, at: item.origin.position,
                            "\"\(shown)\" is combined by \(item.combine.rawValue) here and by"
                                + " \(other.item.combine.rawValue) at \(other.file.place(other.item.origin.position));"
                                + " where both apply, the value that wins stands alone"))
                    continue
                }
                let forced = all.filter { $0.entry.level == .forced && isApart($0.entry.origin) }
                let isWritten = !item.origin.source.isExpanded
                for reason in isWritten ? reasonsForNoEffect(of: item, of: file, behind: files[..<index], all) : [] {
                    findings.append(
                        file.warning(
                            .idleRule, at: item.origin.position, "this operator joins nothing: \(reason)"))
                }
                if first[name]?.count == 1 { checkJoining(item, of: file, forced) }
            }
        }
    }

    /// Why an operator combines nothing, as clauses; none if it may combine something.
    private func reasonsForNoEffect(
        of item: CombineEntry, of file: LintFile, behind others: ArraySlice<LintFile>, _ all: [Entry]
    ) -> [String] {
        let shown = Printable.escape(item.key.string)
        var reasons: [String] = []
        if !all.contains(where: { $0.entry.level == .forced }), !otherPolicy.mayHold(item.domain, item.key) {
            reasons.append("\(otherPolicy.scope.noFile) forces \"\(shown)\" of \(Printable.escape(item.domain.string))")
        }
        if let end = LintRules.end(of: all, before: others, for: [file]) {
            reasons.append(
                "\(end.file.place(end.entry.origin.position)) is enforced, comes first and ends the joining of"
                    + " \"\(shown)\" for everybody this file applies to")
        }
        return reasons
    }

    /// The entry that ends the combination of a key.
    ///
    /// - Parameters:
    ///   - all: the entries of the key.
    ///   - others: the files before the one in question.
    ///   - files: the files whose common subjects count.
    /// - Returns: the first entry that applies to every subject of one of these files, and so to all common subjects.
    private static func end(of all: [Entry], before others: ArraySlice<LintFile>, for files: [LintFile]) -> Entry? {
        all.first { other, entry in
            other.policy.enforced && (entry.level == .forced || entry.level == .absent)
                && files.contains { other.target.covers($0.target) } && others.contains { $0 === other }
        }
    }

    /// Reports forced entries whose type an operator cannot combine.
    private mutating func checkJoining(_ item: CombineEntry, of file: LintFile, _ forced: [Entry]) {
        for (other, entry) in forced {
            guard let value = entry.value, !LintRules.joins(item.combine, value), file.target.mayOverlap(other.target)
            else { continue }
            let outcome =
                other.policy.enforced ? "stands alone, because its file is Enforced" : "takes no part where others fit"
            findings.append(
                other.warning(
                    .cannotCombine, at: entry.origin.position,
                    "\(item.combine.rawValue) at \(file.place(item.origin.position)) cannot join"
                        + " \(value.noun), so this entry of \"\(Printable.escape(item.key.string))\" \(outcome)"))
        }
    }

    /// Whether an operator can combine a value.
    private static func joins(_ combine: CombineOperator, _ value: Node) -> Bool {
        switch (combine, value.value) {
        case (.replace, _), (.union, .array), (.merge, .dictionary), (.and, .boolean), (.or, .boolean),
            (.min, .integer), (.max, .integer), (.min, .real), (.max, .real):
            true
        default: false
        }
    }
}
