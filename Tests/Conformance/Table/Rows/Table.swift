import Foundation

/// All rows, as the files of `Tests/Conformance/Rows` have them.
package struct Table: Sendable {
    /// What is wrong with a file of rows.
    package struct Mistake: Error, CustomStringConvertible {
        /// File, line and a sentence.
        package let description: String
    }

    /// The rows, in the order of files and lines.
    package let rows: [Row]

    /// Reads the files of a folder.
    ///
    /// - Parameter folder: the folder with the `.rows` files.
    /// - Throws: ``Mistake`` with the place of the first one.
    package init(folder: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".rows") }
        var rows: [Row] = []
        for name in names.sorted() {
            let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")), as: UTF8.self)
            var reader = RowReader(group: String(name.dropLast(5)), file: name)
            for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                do { try reader.read(line, number: number + 1) } catch {
                    throw Mistake(description: "\(name):\(number + 1): \(error)")
                }
            }
            rows += reader.finish()
        }
        for index in rows.indices where !rows[index].model.isEmpty {
            guard let model = rows.first(where: { $0.id == rows[index].model }), model.model.isEmpty else {
                throw Mistake(description: "The row \(rows[index].id) is like a row that has no steps of its own.")
            }
            rows[index].takeSteps(of: model)
        }
        var seen: Set<String> = []
        for row in rows {
            guard seen.insert(row.id).inserted else { throw Mistake(description: "The row \(row.id) stands twice.") }
            guard !row.place.isEmpty, !row.statement.isEmpty, !row.steps.isEmpty else {
                throw Mistake(description: "The row \(row.id) lacks its place, what it says, or steps.")
            }
        }
        self.rows = rows
    }

    /// The folder of the rows, beside the sources.
    package static let folder = String(#filePath.dropLast("Table/Rows/Table.swift".count)) + "Rows"
}
