/// Everybody there is, for questions about nobody in particular.
extension AccountDatabase {
    /// Everybody in the files; `nil` where a line of them was skipped, or nobody is there, so that there may be others.
    package var census: AccountCensus? {
        accounts.isEmpty || !problems.isEmpty ? nil : AccountCensus(accounts: accounts, groups: groups)
    }

    /// Everybody whom the machine's C library lists.
    ///
    /// - Returns: `nil` where a source takes part that does not list everybody, or did not answer.
    package func lookUpCensus() -> AccountCensus? {
        guard root.isSystem, NameServices(root: root).areListed else { return nil }
        var file = AccountFile(shown: "getent")
        guard let users = try? GetentAnswer.list(tool: root.getent, "passwd"),
            let groups = try? GetentAnswer.list(tool: root.getent, "group")
        else { return nil }
        let census = AccountCensus(accounts: file.accounts(in: users), groups: file.groups(in: groups))
        return file.problems.isEmpty ? census : nil
    }

    /// Whether the machine's C library asks nobody but the machine's own files, so that these alone say who there is.
    package var areFilesAlone: Bool { NameServices(root: root).areFilesAlone }

    /// Whether people may get groups when they log in that no list has: pam_group(8) gives those of
    /// `/etc/security/group.conf`.
    package var areGroupsGivenAtLogin: Bool {
        guard root.isSystem else { return false }
        do throws(SystemError) {
            let text = try root.read("/etc/security/group.conf", limit: 1 << 20).bytes
            return text.split(separator: 0x0a).contains { line in
                line.first { $0 != 0x20 && $0 != 0x09 }.map { $0 != UInt8(ascii: "#") } ?? false
            }
        } catch {
            return !error.isMissing
        }
    }
}
