package import MDPlatform
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// What brought a policy file as it is: the generation, when, who and why.
package struct PolicyIntroduction: Hashable, Sendable {
    /// The generation; `nil` for temporary policy, which is in none.
    package let generation: Int?
    /// When it was kept; `nil` for temporary policy.
    package let time: Timestamp?
    /// The person; empty if unknown.
    package let by: String
    /// Why, with the snapshot of a fleet or the commit of a checkout where there is one; empty if not given.
    package let reason: String
    /// Whether the file was changed by hand and found so, by no verb that installs.
    package let isByHand: Bool

    package init(generation: Int?, time: Timestamp?, by: String, reason: String, isByHand: Bool = false) {
        (self.generation, self.time, self.by, self.reason) = (generation, time, by, reason)
        self.isByHand = isByHand
    }

    /// Finds what brought a file; `nil` if that is unknown, for example because the file changed since it was recorded.
    ///
    /// Reads one small file that everybody may read, or the file of temporary policy itself.
    ///
    /// - Parameters:
    ///   - path: the policy file, beneath the root.
    ///   - digest: its content.
    ///   - root: the root.
    package init?(of path: String, _ digest: Digest, in root: Root) {
        for place in PolicyDirectory.allCases {
            let folder = "\(place.directory)/".utf8
            guard path.utf8.starts(with: folder) else { continue }
            let name = Key(String(Substring(path.utf8.dropFirst(folder.count))))
            switch place {
            case .etc:
                guard let entry = PolicyIntroductions(root).files[name], entry.digest == digest else { return nil }
                self = entry.introduction
            case .run:
                guard let bytes = try? root.readTrusted(path, limit: PolicyFile.limits.bytes).bytes,
                    SHA256.hash(bytes) == digest,
                    let temporary = PolicyFile.parse(bytes: bytes, path: path).file?.temporary
                else { return nil }
                self.init(generation: nil, time: nil, by: temporary.by, reason: temporary.reason)
            }
            return
        }
        return nil
    }

    /// A sentence.
    ///
    /// - Parameter words: says a moment.
    /// - Returns: the sentence, with its full stop.
    package func sentence(_ words: (Timestamp) -> String = { $0.rfc3339 }) -> String {
        let why = reason.isEmpty ? "" : ": \(reason)"
        guard let generation, let time else {
            return by.isEmpty ? "It is in force for a time\(why)." : "\(by) put it in force for a time\(why)."
        }
        if isByHand {
            return
                "Not by install: the file was changed by hand, and generation \(generation) has it since \(words(time))."
        }
        let who = by.isEmpty ? "" : ", by \(by)"
        return "Generation \(generation) brought it \(words(time))\(who)\(why)."
    }
}
