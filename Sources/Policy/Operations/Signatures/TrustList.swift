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
    /// It is missing only where a complete look at its directory says so. What is there and cannot be read, trusted or
    /// understood asks for signatures all the same: somebody put it there to have them asked for. Then only what was
    /// verified with the last list that could be read counts as signed, and without one nothing does.
    init(_ verifier: SignatureVerifier, root: Root, recorded: Digest?) {
        let shown = root.display(verifier.trustPath)
        do throws(TrustError) {
            let file = try root.readTrusted(verifier.trustPath, limit: TrustList.sizeLimit)
            (isThere, bytes, digest) = (true, file.bytes, SHA256.hash(file.bytes))
            let message = "it names nobody, so that no file counts as signed; what was in force before stays"
            problems =
                verifier.namesAnybody(file.bytes) ? [] : [Diagnostic(file: shown, code: .empty, message: message)]
        } catch {
            bytes = nil
            digest = recorded
            let isVisible = TrustList.isVisible(verifier, root: root)
            // Only a directory that is there and trusted can lack a name.
            let hasDirectory = (try? root.status(PolicyPlace.etc.home, followingLinks: true))?.kind == .directory
            isThere = isVisible || recorded != nil && !(hasDirectory && error.isMissing)
            guard isVisible || (isThere && !error.isMissing) else {
                problems = []
                return
            }
            let meaning =
                recorded != nil
                ? "only what was verified before counts as signed"
                : "until it can be read, no file counts as signed, and what was in force before stays"
            problems = [
                Diagnostic(
                    file: shown, code: .unreadable, message: "who may sign policy cannot be told: \(error); \(meaning)")
            ]
        }
    }

    /// Whether there is something of the name, a link that leads nowhere included, or nobody can tell.
    private static func isVisible(_ verifier: SignatureVerifier, root: Root) -> Bool {
        do throws(SystemError) {
            _ = try root.status(verifier.trustPath, followingLinks: false)
            return true
        } catch {
            return !error.isMissing
        }
    }
}
