import ConformanceTable
import Foundation

/// Prints the README's table, and with `--detail` every row that did not pass.
let arguments = CommandLine.arguments.dropFirst()
let wanted = Set(arguments.compactMap { Subject(rawValue: $0) })
let rowNames = Set(arguments.filter { $0.contains(":") })
let table: Table
do { table = try Table(folder: Table.folder) } catch {
    print(error)
    exit(1)
}
let rows = rowNames.isEmpty ? table.rows : table.rows.filter { rowNames.contains($0.id) }
var report = Report()
for subject in Subject.allCases where wanted.isEmpty || wanted.contains(subject) {
    do {
        let driver = try Drivers.besideThisProgram.path(of: subject)
        report.add(subject, Runner(subject, driver: driver).run(rows))
    } catch {
        report.skip(subject, "\(error)")
    }
}
if arguments.contains("--detail") { print(report.detail) }
print(report.table)
