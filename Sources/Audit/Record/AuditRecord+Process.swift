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

    /// Puts what is so outside of the user namespace of this process in place of what its own ids and files say.
    ///
    /// What nobody can tell stays as the namespace has it, and the note says so. A record about somebody else than the process
    /// keeps its user.
    mutating func place(in origin: RecordOrigin) {
        host = host ?? origin.host
        if host == nil { note = AuditRecord.note(note, with: RecordOrigin.noHost) }
        guard (uid ?? CurrentProcess.uid) == CurrentProcess.uid else { return }
        guard let person = origin.person() else {
            note = AuditRecord.note(note, with: RecordOrigin.noPerson)
            return
        }
        // The kernel translates the user of the login too.
        auid = CurrentProcess.loginUID == CurrentProcess.uid ? person.uid : nil
        (uid, user) = (person.uid, person.name)
    }

    /// Fills in time, boot and host, where the record says nothing about them.
    mutating func fillInMachine(root: Root) {
        time = time ?? Clock.now()
        boot = boot ?? Machine.bootID()
        mono = mono ?? Int(Clock.monotonicMicroseconds())
        host = host ?? Machine.hostName(root: root).short
    }
}
