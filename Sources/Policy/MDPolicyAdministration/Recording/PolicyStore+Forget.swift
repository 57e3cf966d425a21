import MDPlatform
package import MDPolicyCore
package import MDPolicyModel
import MDPolicyStore
import MDPropertyList

extension PolicyStore {
    /// Ends the entries of missing policy directories in the policy record.
    ///
    /// - Parameter report: gets the changes before they are recorded; if it returns false, nothing ends.
    /// - Returns: the directories whose entries ended.
    /// - Throws: why nothing was done.
    package func forget(report: ([PolicyChange]) -> Bool) throws(OperationError) -> [PolicyDirectory] {
        try exclusively { () throws(OperationError) in try forgetLocked(report) }
    }

    /// Does the work under the lock.
    private func forgetLocked(_ report: ([PolicyChange]) -> Bool) throws(OperationError) -> [PolicyDirectory] {
        let inspection = PolicyRecordInspection(root: root)
        if let failure = inspection.failure { throw OperationError(failure) }
        var record = inspection.record
        var places: [PolicyDirectory] = []
        let lastingNames = PolicyStore.lastingNames(in: root)
        for place in PolicyDirectory.allCases {
            // A boot takes the directory of `/run` away, and what outlasts it has a folder of its own.
            let kept = place == .run && lastingNames != nil ? record.lasting : []
            let files = record.files.keys.filter { $0.place == place && !kept.contains($0.name) }
            guard !files.isEmpty, case .missing = listing(of: place).state else { continue }
            for file in files { record.files[file] = nil }
            places.append(place)
        }
        var changes = ChangeList.changes(from: inspection.record, to: record).map { change in
            PolicyChange(
                path: change.path, from: change.from, to: change.to, note: "forgotten, because its directory is gone")
        }
        // Running programs retain what was in force until a record says otherwise.
        if inspection.isMissing, case .missing = listing(of: .etc).state {
            places.append(.etc)
            changes.append(
                PolicyChange(
                    path: StorePath.record, from: nil, to: nil, note: "was gone; what running programs retained ends"))
        }
        if places.isEmpty { return [] }
        guard report(changes) else {
            throw OperationError("it could not be recorded in the audit log")
        }
        do throws(SystemError) {
            try put(record.encoded(), at: StorePath.record)
            try RecordedCopies(root: root).removeAll(except: record.digests)
        } catch {
            throw OperationError(error)
        }
        return places
    }

    private func listing(of place: PolicyDirectory) -> DirectoryListing {
        DirectoryListing(place, root: root, areSignaturesUsed: false)
    }

    /// Ends a time floor that is ahead of the clock by rewriting its files.
    ///
    /// - Parameter report: gets the changes before they are made; if it returns false, nothing ends.
    /// - Returns: the paths beneath the root whose time was ahead.
    /// - Throws: why it could not be done.
    package func forgetClock(
        report: ([PolicyChange]) -> Bool = { _ in true }
    ) throws(OperationError) -> [String] {
        try exclusively { () throws(OperationError) in try forgetClockLocked(report) }
    }

    /// Does the work under the lock.
    private func forgetClockLocked(_ report: ([PolicyChange]) -> Bool) throws(OperationError) -> [String] {
        let paths = TimeFloor.pathsAhead(in: root)
        if paths.isEmpty { return [] }
        let note = "the recorded time lay ahead of the clock, and ends"
        guard report(paths.map { PolicyChange(path: $0, from: nil, to: nil, note: note) }) else {
            throw OperationError("it could not be recorded in the audit log")
        }
        do throws(SystemError) {
            for path in paths {
                if path == StorePath.table {
                    try root.remove(path)
                } else {
                    let bytes = try root.read(path, limit: PolicyRecord.sizeLimit).bytes
                    try root.replace(path, with: bytes, mode: 0o644)
                }
            }
        } catch {
            throw OperationError(error)
        }
        return paths
    }
}
