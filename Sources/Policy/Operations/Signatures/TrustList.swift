import Platform

/// What says whom the machine trusts to sign policy, as far as it can be read.
struct TrustList: Sendable {
    /// Whether there is one: signatures are asked for.
    let isThere: Bool
    /// Its digest; that of the last one that was recorded where it cannot be read.
    let digest: Digest?
    /// Its bytes, where it can be read.
    let bytes: [UInt8]?
    /// What is wrong with it.
    let problems: [Diagnostic]

    /// The largest list that is read, in bytes.
    private static let sizeLimit = 1 << 20

    /// Reads the list of a verifier.
    ///
    /// It is missing only where a complete look at its directory says so. What is there and cannot be read or trusted
    /// changes nothing: signatures are asked for exactly where the record says that they were. Otherwise whoever can
    /// write into a directory by mistake could take policy that is not signed out of force.
    init(_ verifier: SignatureVerifier, root: Root, recorded: Digest?) {
        do throws(TrustError) {
            let file = try root.readTrusted(verifier.trustPath, limit: TrustList.sizeLimit)
            (isThere, bytes, digest) = (true, file.bytes, SHA256.hash(file.bytes))
            let isEmpty = file.bytes.split(separator: 0x0a).allSatisfy { line in
                let first = line.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0d }
                return first == nil || first == UInt8(ascii: "#")
            }
            let message = "it names nobody, so that no file counts as signed; what was in force before stays"
            problems =
                isEmpty ? [Diagnostic(file: root.display(verifier.trustPath), code: .empty, message: message)] : []
        } catch {
            bytes = nil
            digest = recorded
            if error.isMissing {
                let hasDirectory = (try? root.status(PolicyPlace.etc.home, followingLinks: true))?.kind == .directory
                isThere = recorded != nil && !hasDirectory
                problems = []
                return
            }
            isThere = recorded != nil
            guard isThere || (try? root.status(verifier.trustPath, followingLinks: false)) != nil else {
                problems = []
                return
            }
            let meaning =
                isThere
                ? "only what was verified before counts as signed" : "nobody is asked for signatures on its account"
            problems = [
                Diagnostic(
                    file: root.display(verifier.trustPath), code: .unreadable,
                    message: "who may sign policy cannot be told: \(error); \(meaning)")
            ]
        }
    }
}
