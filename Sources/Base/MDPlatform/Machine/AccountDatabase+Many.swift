/// Looks up many users at once, by one run of the helper program, within two seconds; without it one by one.
extension AccountDatabase {
    /// What a name service answers to a question, or why that is unknown.
    package typealias Found<Value> = Result<Value?, SystemError>

    /// Looks up users by name.
    ///
    /// - Returns: the user of each name; `nil` for one that no source has.
    package func lookUpAccounts(named names: [String]) -> [Found<Account>] {
        let replies = ask(names.map { .user($0) })
        return names.indices.map { index in
            if let account = account(named: names[index]) { return .success(account) }
            guard let replies else {
                return Result { () throws(SystemError) in try lookUpAccount(named: names[index]) }
            }
            return replies[index].map { reply in
                guard case .user(var account)? = reply?.answer else { return nil }
                account.isFromNameService = true
                account.service = reply?.service
                return account
            }
        }
    }

    /// Looks up the names of the members of groups, without those whose primary group it is.
    ///
    /// - Returns: those of each group; `nil` for one that no source has.
    package func lookUpMembers(of groups: [String]) -> [Found<[String]>] {
        let replies = ask(groups.map { .members(of: $0) })
        return groups.indices.map { index in
            guard let replies else {
                return Result { () throws(SystemError) in try lookUpGroup(named: groups[index])?.members }
            }
            return replies[index].map { reply in
                if case .members(let names)? = reply?.answer { names } else { nil }
            }
        }
    }

    /// Looks up the ids of users' groups: the primary one first; `nil` if there is no helper program.
    package func lookUpGroups(of accounts: [Account]) -> [Result<[UInt32], SystemError>]? {
        guard root.isSystem,
            let replies = try? NameService.ask(
                accounts.map { .groups(of: $0.name, gid: $0.gid) }, root: root, patience: NameService.wholePatience)
        else { return nil }
        return zip(accounts, replies).map { account, replies in
            if let silent = replies.silent.first { return .failure(NameService.failure(silent)) }
            var ids = groups(of: account)
            for case .groups(let more) in replies.replies.map(\.answer) {
                ids += more.filter { !ids.contains($0) }
            }
            return .success(ids)
        }
    }

    /// Asks questions; the first answer that found something, `nil` if every service says that there is nothing.
    ///
    /// - Returns: `nil` if there is no helper program, or nothing is asked beneath a folder.
    private func ask(_ questions: [NameQuestion]) -> [Found<NameReplies.Reply>]? {
        guard root.isSystem, !questions.isEmpty else { return nil }
        do throws(SystemError) {
            let replies = try NameService.ask(questions, root: root, patience: NameService.wholePatience)
            return replies?.map { replies in
                if let found = replies.found { return .success(found) }
                return replies.silent.first.map { .failure(NameService.failure($0)) } ?? .success(nil)
            }
        } catch {
            return questions.map { _ in .failure(error) }
        }
    }
}
