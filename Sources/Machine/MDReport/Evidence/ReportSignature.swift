import MDPlatform
import MDPolicyAdministration
import MDPolicyModel
import MDPolicyStore

/// Signatures of reports, made and checked by `ssh-keygen -Y`, each in a file beside its report.
package enum ReportSignature {
    /// The purpose that a signature is made for: one of policy does not count for a report, nor the other way round.
    package static let namespace = "managed-defaults-report"
    /// What is added to the name of a report.
    package static let suffix = ".sig"
    /// The list of signers that a machine trusts.
    package static var trustPath: String { SignatureVerifier.ssh.trustPath }
    /// The most bytes of a signature and of a list of signers.
    package static let sizeLimit = SSHSignature.sizeLimit

    /// Signs a report.
    ///
    /// - Parameters:
    ///   - bytes: the report.
    ///   - key: the path of the key; for a public one, the agent signs.
    /// - Returns: the signature.
    /// - Throws: why there is none, as a sentence.
    package static func sign(_ bytes: [UInt8], key: String) throws(ReportFault) -> [UInt8] {
        do throws(OperationError) {
            return try SSHSignature.sign(bytes, key: key, namespace: namespace)
        } catch {
            throw ReportFault("the report could not be signed: \(error)")
        }
    }

    /// What a signature proves.
    package enum Finding: Hashable, Sendable {
        /// A signer of the list signed exactly this report.
        case good(signer: String)
        /// It is of another report, for another purpose, or by a signer who is not on the list.
        case bad(String)
        /// There is no signature.
        case unsigned
        /// There is a signature, and no list of signers.
        case noSigners
    }

    /// Checks a signature.
    ///
    /// - Parameters:
    ///   - bytes: the report.
    ///   - signature: the signature; `nil` if there is none.
    ///   - signers: the list of trusted signers, as ssh-keygen(1) has it; `nil` if there is none.
    /// - Returns: what it proves.
    package static func check(_ bytes: [UInt8], signature: [UInt8]?, signers: [UInt8]?) -> Finding {
        guard let signature else { return .unsigned }
        guard let signers else { return .noSigners }
        do throws(SignatureVerifier.Refusal) {
            switch try SSHSignature.signer(of: bytes, signature, among: signers, namespace: namespace) {
            case .signed(let name): return .good(signer: name)
            case .unknownKey:
                return .bad("nobody in the list of signers has the key that signed it, or its time is over")
            case .unfit:
                return .bad(
                    "the signature does not fit: the report was changed after signing, or it was made for something else"
                )
            }
        } catch {
            return .bad(error.reason)
        }
    }

    /// Checks that the machine that a report is of has signed it, or a collector.
    ///
    /// - Parameters:
    ///   - bytes: the report.
    ///   - signature: its signature; `nil` if there is none.
    ///   - signers: the trusted signers.
    ///   - host: the host that the report says to be of.
    /// - Returns: what the signature proves.
    package static func check(
        _ bytes: [UInt8], signature: [UInt8]?, signers: ReportSigners, host: String
    ) -> Finding {
        guard let signature else { return .unsigned }
        do throws(SignatureVerifier.Refusal) {
            // Each name is checked by the lines that have exactly this name, so that no pattern is a machine's name.
            for name in signers.names(for: host) {
                let isSigned = try SSHSignature.isSigned(
                    bytes, signature, by: name, among: signers.lines(of: name), namespace: namespace)
                if isSigned { return .good(signer: name) }
            }
        } catch {
            return .bad(error.reason)
        }
        let finding = check(bytes, signature: signature, signers: signers.list)
        guard case .good(let name) = finding else { return finding }
        return .bad("it is signed by \(name), and says it is of \(host)")
    }
}
