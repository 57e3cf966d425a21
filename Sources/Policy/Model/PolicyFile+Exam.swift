import Platform

extension PolicyFile {
    /// The same file, `Enforced` and with an end, unless it says that it ends earlier.
    func enforced(until end: Timestamp) -> PolicyFile {
        let target = Target(
            include: target?.include ?? Target.Clauses(), except: target?.except ?? Target.Clauses(),
            schedule: target?.schedule, notBefore: target?.notBefore, notAfter: min(target?.notAfter ?? end, end))
        return replacing(target: target, enforced: true)
    }
}
