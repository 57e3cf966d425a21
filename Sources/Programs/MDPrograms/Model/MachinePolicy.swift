import MDPlatform
package import MDPolicyCore
package import MDPolicyModel

extension PolicySet {
    /// The policy that holds for every user alike: the files whose target names no users and groups, without waivers for
    /// some users only.
    ///
    /// A waiver that only some users have lifts nothing for everybody, so the key stays forced.
    package var forEverybody: PolicySet {
        PolicySet(
            files: files.compactMap { state in
                guard let policy = state.policy, !policy.isForSomeUsers else { return nil }
                return PolicyFileState(path: state.path, policy: policy.withoutPersonalWaivers, diagnostics: [])
            }, names: names, tags: tags, hostName: hostName, knowledge: knowledge)
    }
}

extension PolicySet {
    /// The policy as if every user were meant by every file: the strictest that anybody can have.
    package var forAnybody: PolicySet {
        PolicySet(
            files: files.compactMap { state in
                state.policy.map {
                    PolicyFileState(path: state.path, policy: $0.withoutPersonalTarget, diagnostics: [])
                }
            }, names: names, tags: tags, hostName: hostName, knowledge: knowledge)
    }
}

extension PolicyFile {
    /// Whether the target depends on the user.
    package var isForSomeUsers: Bool {
        guard let target else { return false }
        return target.include.isPersonal || target.except.isPersonal
    }

    /// The same file without waivers for some users.
    fileprivate var withoutPersonalWaivers: PolicyFile {
        guard waivers.contains(where: \.clauses.isPersonal) else { return self }
        return with(target)
    }

    /// The same file for every user, without waivers for some of them.
    fileprivate var withoutPersonalTarget: PolicyFile {
        with(
            target.map {
                Target(
                    include: $0.include.withoutPersons, except: $0.except.withoutPersons, schedule: $0.schedule,
                    notBefore: $0.notBefore, notAfter: $0.notAfter)
            })
    }

    /// The same file with another target and without waivers for some users.
    private func with(_ target: Target?) -> PolicyFile {
        PolicyFile(
            source, identifierPosition: identifierPosition, version: version, versionPosition: versionPosition,
            summary: summary, contact: contact, target: target, targetPosition: targetPosition, enforced: enforced,
            onOverride: onOverride,
            temporary: temporary, entries: entries, seals: seals, constraints: constraints, combine: combine,
            waivers: waivers.filter { !$0.clauses.isPersonal }, calendars: calendars, metadata: metadata,
            digest: digest)
    }
}

extension Target.Clauses {
    /// Whether the clauses depend on the user.
    fileprivate var isPersonal: Bool { users != nil || groups != nil }

    /// The clauses without those that depend on the user.
    fileprivate var withoutPersons: Target.Clauses { Target.Clauses(hosts: hosts, tags: tags) }
}
