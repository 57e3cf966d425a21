import Platform

extension AuditLog {
    /// Reads the records that match, without a lock and without checking the log against its checkpoint.
    ///
    /// A line that is no record is a problem and the rest is read nevertheless. A log that does not exist is empty.
    /// With a limit, memory is bounded by it.
    ///
    /// - Throws: `system` where the log is there and cannot be read.
    package func records(matching query: AuditQuery = AuditQuery()) throws(AuditError) -> AuditReading {
        let limit = query.limit.map { max($0, 0) }
        var found: [AuditRecord] = []
        var reading = try forEachRecord { record in
            guard query.matches(record) else { return }
            found.append(record)
            // Cutting down at twice the limit makes the cost of a record constant.
            if let limit, found.count / 2 > limit { found.removeFirst(found.count - limit) }
        }
        reading.records = limit.map { Array(found.suffix($0)) } ?? found
        return reading
    }

    /// Hands on each record of the log, oldest first, in bounded memory.
    ///
    /// - Returns: the lines that are no records; it holds no records itself.
    /// - Throws: `system` where the log is there and cannot be read.
    @discardableResult
    package func forEachRecord(_ body: (AuditRecord) -> Void) throws(AuditError) -> AuditReading {
        var reading = AuditReading()
        do throws(SystemError) {
            let opened = try LogInspection.present { () throws(SystemError) in
                try root.status(AuditLog.path, followingLinks: true)
            }
            guard opened != nil else { return reading }
            let file = try ReadFile(root: root, path: AuditLog.path)
            var splitter = LineSplitter()
            var (offset, line) = (0, 0)
            while true {
                let chunk = try file.read(offset: offset, count: LineSplitter.chunkSize)
                if chunk.isEmpty { break }
                offset += chunk.count
                splitter.feed(chunk) { part in
                    line += 1
                    AuditLog.read(part, number: line, into: &reading, body)
                }
            }
            if splitter.pendingLength > 0 {
                reading.note(line: line + 1, "the line does not end, as a crash leaves it behind")
            }
        } catch {
            throw .system(error)
        }
        return reading
    }

    /// Hands on a line as a record, or notes why it is none.
    private static func read(
        _ part: LineSplitter.Line, number: Int, into reading: inout AuditReading, _ body: (AuditRecord) -> Void
    ) {
        if part.isTooLong {
            return reading.note(line: number, "the line has \(part.length) bytes, more than a record can have")
        }
        do throws(AuditError) {
            let record = try AuditRecord(line: part.bytes)
            if record.seq == 0 { reading.note(line: number, "the field \"seq\" is missing") }
            body(record)
        } catch {
            reading.note(line: number, error.description)
        }
    }
}
