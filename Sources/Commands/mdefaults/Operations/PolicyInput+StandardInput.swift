import MDPlatform
import MDPolicyAdministration
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

extension PolicyInput {
    /// Reads standard input as the policy file that `--as` names: what `policy install -` and `policy lint - --as` do.
    ///
    /// - Parameters:
    ///   - name: the name of the file; `nil` if it is missing.
    ///   - verb: the verb whose usage an error prints.
    /// - Returns: the input.
    /// - Throws: exit 2 if there is no such name or it is none of a policy file, exit 4 if the input cannot be read.
    static func standardInput(as name: String?, of verb: any Verb.Type) throws(Failure) -> PolicyInput {
        guard let name else { throw .usage("--as NAME says which file standard input is.", of: verb) }
        guard !name.utf8.contains(UInt8(ascii: "/")), PolicyFileName.reasonToIgnore(name) == nil else {
            throw .usage("\(Printable.escape(name)) is no name of a policy file in policies.d.", of: verb)
        }
        do throws(SystemError) {
            let bytes = try StandardInput.readAll(limit: PolicyFile.limits.bytes)
            return PolicyInput(name: name, bytes: bytes, shown: name)
        } catch {
            throw .of(error)
        }
    }

    /// Demands that the directory still has the file that the caller saw under a name.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - word: its SHA-256, or `none` if there was no such file.
    ///   - verb: the verb whose usage an error prints.
    /// - Throws: exit 2 if the word is neither.
    mutating func require(_ name: String, _ word: String, of verb: any Verb.Type) throws(Failure) {
        let digest = Digest(hex: word)
        guard digest != nil || word == "none" else {
            throw .usage("--if-unchanged takes 64 hexadecimal digits or none.", of: verb)
        }
        installation.seen[Key(name)] = .some(digest)
    }
}
