import Platform
import Policy

/// Writes what `policy lint --fix` mends.
enum FixWriting {
    /// Replaces files of the caller, where the last link of each path leads.
    ///
    /// - Returns: a line for each change.
    /// - Throws: the first file that cannot be replaced; those before it are.
    static func write(files: [FixedFile]) throws(Failure) -> [String] {
        var lines: [String] = []
        for file in files {
            do throws(SystemError) {
                let path = try CallerPath.followingLast(try CallerPath.absolute(file.shownPath), in: .system)
                try replace(path, with: file, in: .system)
                lines += describe(file) + signatureNote(path, of: file, in: .system)
            } catch {
                throw .of(error)
            }
        }
        return lines
    }

    /// Replaces files beneath a root.
    ///
    /// - Returns: a line for each change.
    /// - Throws: the first file that cannot be replaced; those before it are.
    static func write(files: [FixedFile], in root: Root) throws(Failure) -> [String] {
        var lines: [String] = []
        for file in files {
            do throws(SystemError) {
                try replace(file.path, with: file, in: root)
                lines += describe(file) + signatureNote(file.path, of: file, in: root)
            } catch {
                throw .of(error)
            }
        }
        return lines
    }

    /// Replaces one file whole or not at all; its owner, group and mode stay.
    private static func replace(_ path: String, with file: FixedFile, in root: Root) throws(SystemError) {
        let status = try root.status(path, followingLinks: false)
        guard status == file.status else {
            throw SystemError(
                operation: "mend", path: file.shownPath, code: 11, reason: "it was changed while it was looked at")
        }
        // A process that is not root may not give files away, not even to whom they belong already.
        let isRoot = CurrentProcess.euid == 0
        let owner = isRoot ? (user: status.owner, group: status.group) : nil
        guard isRoot || status.owner == CurrentProcess.euid else {
            throw SystemError(
                operation: "mend", path: file.shownPath, code: 1, reason: "it would get another owner")
        }
        try root.replace(path, with: file.bytes, mode: status.mode, owner: owner)
    }

    /// A line about the signature that lies beside a file and is one of what the file was; none without a signature.
    private static func signatureNote(_ path: String, of file: FixedFile, in root: Root) -> [String] {
        guard root.mayHave("\(path).sig") else { return [] }
        let sentence =
            "\(file.shownPath).sig: does not match any more; sign the file anew: ssh-keygen -Y sign -n managed-defaults -f"
            + " KEY \(file.shownPath)"
        return [Printable.escape(sentence)]
    }

    /// A line for each change of a file.
    private static func describe(_ file: FixedFile) -> [String] {
        file.fixes.map { fix in
            Printable.escape("\(file.shownPath):\(fix.position): fixed: \(fix.words) [\(fix.code.rawValue)]")
        }
    }
}
