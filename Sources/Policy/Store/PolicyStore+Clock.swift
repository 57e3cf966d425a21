package import Platform
import PropertyList

extension PolicyStore {
    /// Tells users' programs the newest time that was recorded, where only root sees it and they have to know.
    ///
    /// The audit log, which has the newest time of most machines, is not for users to look at. While the clock is right
    /// they may lag behind a little, so that not every record of the log is written twice. Where it is earlier, they must
    /// know at once, those that run included: they read policy again when the record is replaced.
    ///
    /// - Throws: why it could not be written.
    package func tellTime() throws(SystemError) {
        guard let newest = ClockFloor.untold(in: root), mayWrite else { return }
        try locked { () -> Result<Void, SystemError> in
            do throws(SystemError) {
                try put([], at: StorePath.clock, carrying: newest)
                if Clock.now() < newest, let bytes = RecordedTable(root: root).bytes {
                    try put(bytes, at: StorePath.record, carrying: newest)
                }
                return .success(())
            } catch {
                return .failure(error)
            }
        }.get()
    }

    /// Tells users' programs the newest time, and what keeps it from them.
    func toldTime() -> [Diagnostic] {
        do throws(SystemError) {
            try tellTime()
            return []
        } catch {
            return [notRecorded(error)]
        }
    }
}
