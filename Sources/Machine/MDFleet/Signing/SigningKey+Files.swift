import MDPlatform
import MDPolicyModel

/// Keys in files, in the file system of the caller.
extension SigningKey {
    /// The most bytes of a public key's file, and of what ssh-keygen prints.
    private static let limit = 65_536

    /// Whether keys can be made here.
    static var canBeMade: Bool { Root.system.mayExist(SignatureVerifier.ssh.program) }

    /// Makes a key without a passphrase, and its public half beside it.
    static func make(at path: String, comment: String) throws(FleetFault) {
        let result: SubprocessResult
        do throws(SystemError) {
            result = try Subprocess.run(
                SignatureVerifier.ssh.program, ["-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", path],
                timeoutMilliseconds: 60_000, limit: limit)
        } catch {
            throw FleetFault("\(error)")
        }
        guard result.status == 0 else {
            throw FleetFault(
                "the program ssh-keygen made no key at \(path): its folder is missing, or cannot be written")
        }
    }

    /// Reads the public key beside a private one, or the public key itself.
    init(of path: String) throws(FleetFault) {
        let shown = path.hasSuffix(".pub") ? path : path + ".pub"
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Root.system.read(shown, limit: SigningKey.limit).bytes
        } catch {
            throw FleetFault("\(error)")
        }
        guard let line = String(validating: bytes, as: UTF8.self), let key = SigningKey(line) else {
            throw FleetFault("\(shown) is no public key as ssh-keygen writes it")
        }
        self = key
    }
}
