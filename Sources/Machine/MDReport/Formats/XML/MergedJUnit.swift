import MDPlatform
import MDPropertyList

/// Writes reports of many machines as the results of tests: a suite for each room, a test for each machine.
package enum MergedJUnit {
    package static func render(_ report: MergedReport) -> [UInt8] {
        var xml = XMLText()
        let time = String(report.request.time.rfc3339.prefix(19))
        let quiet = report.silent.count + report.missing.count
        xml.begin(
            "testsuites",
            [
                ("name", report.request.title ?? "Compliance of many machines"),
                ("tests", String(report.count + report.refusedCount)),
                ("failures", String(report.worst.count)), ("errors", String(quiet + report.refusedCount)),
                ("skipped", "0"),
            ])
        for room in report.rooms {
            let machines = report.machines.filter { $0.room.utf8.elementsEqual(room.name.utf8) }
            let missing = report.missing.filter { ($0.room ?? "").utf8.elementsEqual(room.name.utf8) }
            xml.begin(
                "testsuite",
                [
                    ("name", room.name.isEmpty ? "no room" : room.name), ("timestamp", time),
                    ("tests", String(room.machines)),
                    ("failures", String(room.machines - room.compliant - room.silent)),
                    ("errors", String(room.silent)), ("skipped", "0"),
                ])
            for machine in machines { test(machine, room.name, &xml) }
            for host in missing {
                xml.begin("testcase", [("classname", room.name), ("name", host.host.string)])
                xml.element("error", [("type", "no-report"), ("message", "there is no report of it")])
                xml.end()
            }
            xml.end()
        }
        if report.refusedCount > 0 {
            let count = String(report.refused.count)
            xml.begin(
                "testsuite",
                [
                    ("name", "reports that cannot be used"), ("timestamp", time), ("tests", count), ("failures", "0"),
                    ("errors", count), ("skipped", "0"),
                ])
            for item in report.refused {
                xml.begin("testcase", [("classname", "report"), ("name", item.file)])
                xml.element("error", [("type", "report-not-used"), ("message", item.fault.message)])
                xml.end()
            }
            xml.end()
        }
        xml.end()
        return Array(xml.text.utf8)
    }

    private static func test(_ machine: MachineState, _ room: String, _ xml: inout XMLText) {
        let own = machine.report
        let attributes = [("classname", room), ("name", own.host)]
        if !machine.isSilent, own.verdict == .compliant { return xml.element("testcase", attributes) }
        xml.begin("testcase", attributes)
        if machine.isSilent {
            xml.element(
                "error", [("type", "old-report"), ("message", "its newest report is of \(own.generated.rfc3339)")])
        } else {
            let words = own.errors.first?.message ?? "keys \(MergedReport.percent(machine.tenths))"
            xml.element("failure", [("type", own.verdict.rawValue), ("message", words)])
        }
        xml.end()
    }
}
