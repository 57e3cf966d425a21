import Engine
import Platform
import Policy
import Preferences

extension Context {
    /// Which files of a domain are meant: those of this host with `-currentHost`, or `-host` and its name.
    ///
    /// - Throws: exit 4 for another host.
    func scope() throws(Failure) -> HostScope {
        guard let name = options.namedHost else { return options.currentHost ? .thisHost : .anyHost }
        let machine = try machine()
        let names = [machine.host.short, machine.host.full, "localhost", Machine.machineID(root: machine.root)]
        let asked = name.lowercased()
        guard names.contains(where: { $0?.lowercased() == asked }) else {
            throw Failure(
                code: .inputOutput,
                message: "\(Printable.escape(name)) is not this machine, which is called "
                    + "\(Printable.escape(machine.host.full)); the policy of another one is not known here, so what is "
                    + "stored for it is left alone.")
        }
        return .thisHost
    }

    /// What work on behalf of a user came to.
    struct Answer {
        /// The exit code.
        var code: ExitCode
        /// What it found, for whoever asked; never parsed by root.
        var bytes: [UInt8] = []
    }

    /// Works on a user's settings.
    ///
    /// Root, asked for somebody else on the running system, does so in a child that takes on that user's ids before the
    /// first path in the home is opened: a link that the user lays there then leads no further than the user gets.
    ///
    /// - Parameters:
    ///   - account: the user.
    ///   - isDescribed: whether people are told what manifests say of keys.
    ///   - needsCertainty: whether nothing is done while it is unknown what is forced; else `work` has to look itself.
    ///   - work: opens, reads, writes and prints.
    /// - Returns: what `work` returned.
    /// - Throws: what `work` threw, or why there is no child.
    func acting(
        for account: Account, isDescribed: Bool = false, needsCertainty: Bool = true,
        _ work: (UserSession) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        let machine = try machine()
        if needsCertainty { try requireCertainty() }
        // Made before the ids change, so that root's environment does not pass for that of the user; it opens nothing.
        let session = UserSession(
            machine: machine, account: account,
            resultant: isDescribed ? machine.describedResultant(for: account) : nil)
        return try acting(uid: account.uid, gid: account.gid, groups: machine.rights(of: account)) {
            () throws(Failure) in try work(session)
        }
    }

    /// Works with the ids of the owner of some file, where that is somebody else than root.
    func acting(
        uid: UInt32, gid: UInt32, groups: @autoclosure () -> [UInt32], _ work: () throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        // Of another host nothing is opened here.
        let machine = try machine()
        guard CurrentProcess.uid == 0, uid != 0, machine.root.isSystem, machine.facts == nil else { return try work() }
        try console.flush()
        // What the child asks later was read with root's rights, as everything before.
        machine.complete()
        let answer: [UInt8]
        do {
            answer = try ForkedChild.run(as: ForkedChild.Owner(uid: uid, gid: gid, groups: groups())) {
                do throws(Failure) {
                    let answer = try work()
                    try console.flush()
                    return [0, UInt8(truncatingIfNeeded: answer.code.rawValue)] + answer.bytes
                } catch {
                    let code = UInt8(truncatingIfNeeded: error.code.rawValue)
                    return [error.isPlain ? 2 : 1, code] + Array(error.message.utf8)
                }
            }
        } catch {
            throw Failure(code: .inputOutput, message: "\(error).")
        }
        guard answer.count >= 2, let code = ExitCode(rawValue: Int32(answer[1])) else {
            throw Failure(code: .inputOutput, message: "The child that acted as uid \(uid) gave no answer.")
        }
        let rest = Array(answer.dropFirst(2))
        if answer[0] == 0 { return Answer(code: code, bytes: rest) }
        throw Failure(code: code, message: String(decoding: rest, as: UTF8.self), isPlain: answer[0] == 2)
    }

    /// Takes on the ids of a folder's owner for good, where root works on somebody's folder.
    ///
    /// What the owner has put into the folder then leads no further than the owner gets.
    func takeOnOwner(of folder: Root) throws(Failure) {
        guard !folder.isSystem, folder.owner != 0, CurrentProcess.uid == 0 else { return }
        do throws(SystemError) {
            try Identity.assume(uid: folder.owner, gid: folder.group, groups: [])
        } catch {
            throw Context.failure(.root(error))
        }
    }
}
