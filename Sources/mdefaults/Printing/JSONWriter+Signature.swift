import Policy
import PropertyList

extension JSONWriter {
    /// Writes the member `signature`: what is known of a file's signature; nothing where there is none and none is asked
    /// for.
    mutating func signature(_ state: SignatureState) {
        if state == .none { return }
        member("signature")
        beginObject()
        switch state {
        case .none: break
        case .notVerified: field("state", "not verified")
        case .verified(let signer):
            field("state", "verified")
            field("signer", signer)
        case .refused(let reason):
            field("state", "refused")
            field("reason", reason)
        }
        endObject()
    }
}
