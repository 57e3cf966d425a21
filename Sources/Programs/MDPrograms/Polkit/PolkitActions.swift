import MDPlatform
import MDPropertyList

/// The actions that the packages of a machine have registered with polkit.
///
/// Source: <https://www.freedesktop.org/software/polkit/docs/latest/polkit.8.html>
struct PolkitActions: Sendable {
    /// Where packages put them.
    static let folder = "/usr/share/polkit-1/actions"
    /// The folders that newer versions read too.
    private static let folders = [
        folder, "/usr/local/share/polkit-1/actions", "/run/polkit-1/actions", "/etc/polkit-1/actions",
    ]
    /// The most files of a folder that are read, and the most bytes of one.
    private static let (fileLimit, sizeLimit) = (1_000, 1 << 20)

    /// An action.
    struct Action {
        /// Whether some session has it without a password.
        var isFree = false
        /// The actions that it implies.
        var implied: [Key] = []
    }

    /// The actions; empty if none is known.
    private(set) var actions: [Key: Action] = [:]

    /// Reads the files when they are first needed.
    final class Source: Sendable {
        private let root: Root
        private let known = Guarded<PolkitActions?>(nil)

        init(_ root: Root) { self.root = root }

        var actions: PolkitActions {
            known.withLock { known in
                if let known { return known }
                let actions = PolkitActions(root)
                known = actions
                return actions
            }
        }
    }

    private init(_ root: Root) {
        for folder in PolkitActions.folders {
            for name in ((try? root.names(in: folder)) ?? []).prefix(PolkitActions.fileLimit)
            where name.utf8.suffix(7).elementsEqual(".policy".utf8) {
                guard let bytes = try? root.read("\(folder)/\(name)", limit: PolkitActions.sizeLimit).bytes else {
                    continue
                }
                read(bytes)
            }
        }
    }

    private mutating func read(_ bytes: [UInt8]) {
        var (tags, id): (XMLTags, Key?) = (XMLTags(bytes), nil)
        while let tag = tags.next() {
            switch (tag.name, tag.isEnd) {
            case ("action", false):
                id = tag.attribute("id").map { Key(String($0)) }
                if let id { actions[id] = Action() }
            case ("action", true): id = nil
            case ("allow_any", false), ("allow_inactive", false), ("allow_active", false):
                if let id, tags.text == "yes" { actions[id]?.isFree = true }
            case ("annotate", false):
                guard let id, tag.attribute("key") == "org.freedesktop.policykit.imply" else { continue }
                actions[id]?.implied += tags.text.split(separator: " ").map { Key(String($0)) }
            default: continue
            }
        }
    }

    /// An action that implies another one, and that some sessions have without a password.
    ///
    /// - Parameters:
    ///   - action: the other one.
    ///   - answers: what policy answers, by action.
    /// - Returns: the first one; `nil` if there is none.
    func way(to action: Key, around answers: PolkitRules.Answers) -> Key? {
        actions.filter { id, way in
            id != action && way.implied.contains(action) && (answers[id].map { $0 == "yes" } ?? way.isFree)
        }.keys.min()
    }
}
