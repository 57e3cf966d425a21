import Platform

extension PlainFile {
    /// Works on the file; root does so with the ids of its owner, or of its folder's where it does not exist yet.
    func acting(
        _ context: Context, _ work: () throws(Failure) -> Context.Answer
    ) throws(Failure) -> Context.Answer {
        let folder = CallerPath.split(path).folder
        guard
            let status = (try? root.status(path, followingLinks: true))
                ?? (try? root.status(folder, followingLinks: true))
        else { return try work() }
        return try context.acting(uid: status.owner, gid: status.group, groups: [status.group], work)
    }
}
