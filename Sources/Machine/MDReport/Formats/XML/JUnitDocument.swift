import MDPlatform
import MDPropertyList

/// Writes results as those of tests, for the tools that build and test: a suite for the machine, or for all machines,
/// and one for each user, or each room.
///
/// What was not looked at is an error and not skipped: a skipped test lets a build pass.
///
/// Source: <https://github.com/testmoapp/junitxml>
package struct JUnitDocument {
    /// Numbers of tests by result.
    private struct Counts {
        var (tests, failures, errors, skipped) = (0, 0, 0, 0)

        mutating func add(_ state: RequirementState) {
            tests += 1
            switch state {
            case .met: break
            case .notMet: failures += 1
            case .unknown: errors += 1
            case .waived, .notApplicable: skipped += 1
            }
        }

        mutating func add(_ other: Counts) {
            tests += other.tests
            failures += other.failures
            errors += other.errors
            skipped += other.skipped
        }

        var attributes: [(String, String)] {
            [("tests", tests), ("failures", failures), ("errors", errors), ("skipped", skipped)].map {
                ($0, String($1))
            }
        }
    }

    private let table: ResultTable

    package static func pieces(_ table: ResultTable) -> DocumentPieces {
        let document = JUnitDocument(table: table)
        let time = String(table.seconds.prefix(19))
        var (all, suites) = (Counts(), [[UInt8]]())
        let whole = ResultTable.Group(
            name: table.isFleet ? "all machines" : "machine", host: table.isFleet ? "" : table.subject.host,
            parts: AnySequence([table.whole]))
        // The number of tests comes before them.
        for group in [whole] + table.groups {
            let (tests, counts) = document.tests(group)
            all.add(counts)
            var head = XMLText(within: 1)
            let host = group.host.isEmpty ? [] : [("hostname", group.host)]
            head.begin("testsuite", [("name", group.name)] + host + [("timestamp", time)] + counts.attributes)
            suites.append(head.take() + tests + Array("  </testsuite>\n".utf8))
        }
        var head = XMLText()
        head.begin("testsuites", [("name", table.title)] + all.attributes)
        return DocumentPieces([head.take()] + suites, CollectionOfOne(Array("</testsuites>\n".utf8)))
    }

    /// The tests of a group, and their numbers.
    private func tests(_ group: ResultTable.Group) -> ([UInt8], Counts) {
        var (bytes, counts) = ([UInt8](), Counts())
        for rows in group.parts {
            var xml = XMLText(within: 2)
            for row in rows {
                counts.add(row.state)
                test(row, &xml)
            }
            bytes += xml.take()
        }
        return (bytes, counts)
    }

    private func test(_ row: ResultRow, _ xml: inout XMLText) {
        let (rule, subject) = (table.rules[row.rule], row.subject)
        let isUser = subject.kind == .user
        let attributes = [
            ("classname", isUser ? "\(subject.host).\(subject.user).\(rule.domain.string)" : subject.host),
            ("name", isUser ? (rule.key.string.isEmpty ? "(any other key)" : rule.key.string) : rule.words),
        ]
        let kind: String
        switch row.state {
        case .met: return xml.element("testcase", attributes)
        case .notMet: kind = "failure"
        case .unknown: kind = "error"
        case .waived, .notApplicable: kind = "skipped"
        }
        let type = kind == "skipped" ? [] : [("type", row.state.rawValue)]
        let place = row.detail(.file).isEmpty ? "" : "\(row.detail(.file)):\(row.detail(.line))"
        xml.begin("testcase", attributes)
        xml.element(kind, type + [("message", row.words)], place)
        xml.end()
    }
}
