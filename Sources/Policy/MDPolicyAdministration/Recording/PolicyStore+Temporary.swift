package import MDPlatform
package import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// Why temporary policy did not end.
package enum TemporaryEndError: Error {
    /// Its files could not be removed.
    case notRemoved(SystemError)
    /// They are removed, and in force until they are recorded as such.
    case notRecorded(SystemError)
}

/// What recording commands do about temporary policy.
extension PolicyStore {
    /// Writes temporary policy and removes other files of it, at once: no reader finds a part of it.
    ///
    /// The ids of the users and groups in the files are recorded first: for programs that see a name for the first time
    /// it would be unknown.
    ///
    /// - Parameters:
    ///   - files: the files to write.
    ///   - removed: the names of other files, which go.
    ///   - isLasting: whether they outlast the next boot.
    /// - Returns: what was there before.
    /// - Throws: why nothing was changed.
    package func putTemporary(
        _ files: [TemporaryPolicy], removing removed: [String] = [], isLasting: Bool
    ) throws(SystemError) -> TemporaryPolicyStore.Replaced {
        let store = TemporaryPolicyStore(root: root)
        let result: Result<TemporaryPolicyStore.Replaced, SystemError>
        do throws(SystemError) {
            result = try locked {
                recordIDs(ofNamesIn: files.map(\.policy))
                return Result { () throws(SystemError) in
                    try store.put(files, removing: removed, isLasting: isLasting)
                }
            }
        } catch {
            if isLasting { throw error }
            // Files of `/run` apply even if nothing can be recorded.
            return try store.put(files, removing: removed, isLasting: false)
        }
        return try result.get()
    }

    /// Restores what temporary policy replaced.
    package func putBackTemporary(_ replaced: TemporaryPolicyStore.Replaced) throws(SystemError) {
        let store = TemporaryPolicyStore(root: root)
        let result: Result<Void, SystemError>
        do throws(SystemError) {
            result = try locked { Result { () throws(SystemError) in try store.restore(replaced) } }
        } catch {
            return try store.restore(replaced)
        }
        try result.get()
    }

    /// Makes `/run` equal to the folder of what outlasts a boot, without names and without a new record: readers go by the
    /// record until then.
    ///
    /// - Parameter report: gets what happened, for the audit log.
    /// - Throws: why `/run` is not equal.
    package func resumeTemporary(report: ([PolicyChange]) -> Bool) throws(SystemError) {
        let following = try locked { TemporaryPolicyStore(root: root).follow(at: .now(root), report: report) }
        if let failure = following.failure { throw failure }
    }

    /// Removes temporary policy and records that it is no longer in force.
    ///
    /// - Parameters:
    ///   - names: the names of its files.
    ///   - report: gets the changes before they are recorded.
    /// - Throws: what is not done.
    package func endTemporary(
        _ names: [String], report: ([PolicyChange]) -> Bool
    ) throws(TemporaryEndError) {
        if names.isEmpty { return }
        let files = Set(names.map { PolicyRecord.FileName(place: .run, name: Key($0)) })
        let result: Result<Recording, SystemError>
        do throws(SystemError) {
            result = try locked {
                Result { () throws(SystemError) in
                    try TemporaryPolicyStore(root: root).remove(names)
                    return recordLocked(PolicyRecordEdit(removed: files), report: report)
                }
            }
        } catch {
            throw .notRemoved(error)
        }
        switch result {
        case .failure(let error): throw .notRemoved(error)
        case .success(let recording): if let failure = failure(of: recording) { throw .notRecorded(failure) }
        }
    }
}
