package import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPrograms
package import MDPropertyList
import MDTools

/// The users who have a session when an exam starts, and what they have of it at once.
package struct ExamPeople: Sendable {
    /// A user with a session.
    private struct SessionUser: Sendable {
        let name: String
        /// Whether a file of the exam applies to the user; `nil` if that is unknown.
        let isSitting: Bool?
        /// The words for the programs that have to be started again.
        let restarts: [String]
    }

    private let people: [SessionUser]

    /// Asks for each user with a session whether a file applies now.
    ///
    /// - Parameters:
    ///   - machine: the machine after the start.
    ///   - paths: the paths of the exam's files.
    ///   - programs: what was written for other programs.
    package init(on machine: PolicyInForce, _ paths: Set<Key>, _ programs: MachinePrograms.Outcome?) {
        let policies = machine.policies.files.filter { paths.contains(Key($0.path)) }.compactMap(\.policy)
        let names = (try? machine.root.names(in: Persons.sessions)) ?? []
        people = names.compactMap { UInt32($0) }.filter { $0 >= 1_000 && $0 != 65_534 }.sorted().map { uid in
            let account = machine.accounts.account(uid: uid) ?? ((try? machine.accounts.lookUpAccount(uid: uid)) ?? nil)
            let name = account?.name ?? "uid \(uid)"
            let restarts = (programs?.restarts ?? []).filter { $0.uid == uid }.map(\.program)
            guard let account, !machine.areGroupsUnknown(of: account) else {
                return SessionUser(name: name, isSitting: nil, restarts: restarts)
            }
            let subject = machine.subject(for: account)
            let isSitting = policies.contains { policy in
                guard let target = policy.target else { return true }
                return target.mismatch(of: subject, names: machine.policies.names, inWords: false) == nil
            }
            return SessionUser(name: name, isSitting: isSitting, restarts: isSitting ? restarts : [])
        }
    }

    /// Sentences for people, not escaped; none without a session.
    package var sentences: [String] {
        /// The names of some of them.
        func names(_ isSitting: Bool?) -> String? {
            let list = people.filter { $0.isSitting == isSitting }.map(\.name)
            return list.isEmpty ? nil : list.joined(separator: ", ")
        }
        var sentences: [String] = []
        if let names = names(true) {
            sentences.append("Logged in, and sitting it from now on, also in programs that run: \(names).")
        }
        for program in ProgramCatalog.all {
            let users = people.filter { $0.restarts.contains(program.name) }.map(\.name)
            if users.isEmpty { continue }
            sentences.append(
                "\(program.title) has to be started again by \(users.joined(separator: ", ")): it reads policy only when it"
                    + " starts.")
        }
        if let names = names(false) { sentences.append("Logged in, and not sitting it: \(names).") }
        if let names = names(nil) { sentences.append("Logged in, and whether they sit it is unknown: \(names).") }
        return sentences
    }

    /// Writes the member `sessions`.
    package func write(to json: inout JSONWriter) {
        json.member("sessions")
        json.beginArray()
        for person in people {
            json.beginObject()
            json.field("user", person.name)
            if let isSitting = person.isSitting { json.field("sits", isSitting) }
            json.field("restart", .array(person.restarts.map { .string($0) }))
            json.endObject()
        }
        json.endArray()
    }
}
