import Platform
import PropertyList

extension PolicyStore {
    /// Compiles what a look found, where it can be vouched for and the table on the disk is another one.
    ///
    /// A table is written only once everything in it has been still for a moment: what could not be used would be written
    /// for nothing. It need not survive a crash, so nothing waits for the disk.
    ///
    /// - Parameters:
    ///   - pass: the look.
    ///   - set: what it found.
    ///   - before: what the kernel said before it.
    /// - Returns: why it could not be written; `nil` where it was, or where there was nothing to write.
    @discardableResult
    func renewTable(_ pass: PolicyPass, _ set: PolicySet, before: WitnessList?) -> SystemError? {
        guard let before, let sources = pass.sourceWitnesses, before.isSettled(sources),
            !CompiledTable.isWhole(root: root), let after = try? WitnessList(root: root), after.agrees(with: before)
        else { return nil }
        guard let host = pass.record.host, let tags = set.tags, set.changes.isEmpty, set.uncertainty == nil,
            // What is only a warning about a file is the business of lint, and changes nothing that is in force.
            set.problems.allSatisfy({ $0.code == LintCode.groupWritable.rawValue }),
            set.files.allSatisfy(\.isStill), !pass.dependsOnBoot,
            // The kernel's own name may change without a trace in any file.
            !root.isSystem || Machine.fileHostName(root: root)?.full == host,
            let bytes = CompiledTable.compile(
                set, host: host, tags: tags, surroundings: before.witnesses, sources: sources,
                generation: before.generation == after.generation ? before.generation : 0)
        else { return nil }
        // Where the disk is full, the sources go on answering.
        do throws(SystemError) {
            try put(bytes, at: StorePath.table, durable: false)
            return nil
        } catch {
            return error
        }
    }
}

extension PolicyPass {
    /// Whether the next boot ends something of what is in force: what `/run` had, and has no more.
    var dependsOnBoot: Bool { run.sorted.contains(where: \.isStandIn) }

    /// What the kernel said of every policy file when it was read, and says of every link that switches one off.
    ///
    /// - Returns: `nil` where a file could not be read, where a link leads to one, and where something else than the
    ///   directory was read. That the names stood for these files is for the witnesses of the directory to say.
    var sourceWitnesses: [Witness]? {
        var witnesses: [Witness] = []
        witnesses.reserveCapacity(etc.sorted.count + run.sorted.count)
        for scan in [etc, run] {
            for name in scan.listing.files.filter(\.isMask).map(\.name) {
                let path = String(scan.place.path(name.string).dropFirst())
                guard let witness = try? Witness(path, .content, root: root), witness.status?.kind == .link else {
                    return nil
                }
                witnesses.append(witness)
            }
            if case .ignored = scan.listing.state { return nil }
            for file in scan.listing.files where !file.isMask {
                guard let status = file.status, file.linkTarget == nil else { return nil }
                witnesses.append(Witness(String(Substring(file.path.utf8.dropFirst())), of: status))
            }
        }
        return witnesses
    }
}
