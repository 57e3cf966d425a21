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

    /// Fills in time, boot and host, where the record says nothing about them.
    mutating func fillInMachine(root: Root) {
        time = time ?? Clock.now()
        boot = boot ?? Machine.bootID()
        mono = mono ?? Int(Clock.monotonicMicroseconds())
        host = host ?? Machine.hostName(root: root).short
    }
}
