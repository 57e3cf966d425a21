import Platform

extension AuditRecord {
    /// Fills in what the kernel says about this process, where the record says nothing about it.
    package mutating func fillInProcess() {
        uid = uid ?? CurrentProcess.uid
        auid = auid ?? CurrentProcess.loginUID
        session = session ?? CurrentProcess.sessionID
        pid = pid ?? CurrentProcess.pid
        start = start ?? CurrentProcess.startTime
        exe = exe ?? CurrentProcess.executablePath
    }

    /// Names the host outside of the user namespace of this process, and says that the ids are those of the namespace.
    mutating func place(in origin: RecordOrigin) {
        host = host ?? origin.host
        // The namespace's ids have the names of other people.
        user = nil
        note = AuditRecord.note(note, with: RecordOrigin.noPerson)
    }

    /// Fills in time, boot and host, where the record says nothing about them.
    mutating func fillInMachine(root: Root) {
        time = time ?? Clock.now()
        boot = boot ?? Machine.bootID()
        mono = mono ?? Int(Clock.monotonicMicroseconds())
        host = host ?? Machine.hostName(root: root).short
    }
}
