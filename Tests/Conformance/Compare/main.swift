import Foundation
import MDConformanceTable

// Prints the README's table, and with `--detail` every row that did not pass. Exit 1: one of ours did not pass.

let table: Table
do { table = try Table(folder: Table.folder) } catch {
    print(error)
    exit(1)
}
let arguments = CommandLine.arguments.dropFirst()
let wanted = Set(arguments.compactMap { Subject(rawValue: $0) })
let rowNames = Set(arguments.filter { $0.contains(":") })
let rows = rowNames.isEmpty ? table.rows : table.rows.filter { rowNames.contains($0.id) }
let comparison = Comparison(of: Subject.allCases.filter { wanted.isEmpty || wanted.contains($0) }, with: rows)
let report = comparison.run()
if arguments.contains("--detail") { print(report.detail) }
print(report.table)
exit(report.isFine ? 0 : 1)
