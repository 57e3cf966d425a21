package import Platform
import PropertyList

extension Lint {
    /// The changes that mend what has one answer in the files that a caller names, and in those of named folders.
    ///
    /// What cannot be read, or is no policy file, is left alone.
    package static func fixes(files paths: [String]) -> [FixedFile] {
        let input = LintInput(paths)
        return input.sets.flatMap { set in
            set.checked.compactMap { path in
                fixed(LintInput.path(path), in: .system, shownPath: path, isNamed: set.isNamed)
            }
        }
    }

    /// The changes that mend what has one answer in the policy files beneath a root; links are left alone.
    package static func fixes(root: Root) -> [FixedFile] {
        PolicyPlace.allCases.flatMap { place in
            let names = ((try? root.names(in: place.directory)) ?? []).map { Key($0) }.sorted().map(\.string)
            return names.compactMap { name -> FixedFile? in
                let path = place.path(name)
                guard PolicyFileName.reasonToIgnore(name) == nil,
                    (try? root.status(path, followingLinks: false))?.kind == .regular
                else { return nil }
                return fixed(path, in: root, shownPath: root.display(path), isNamed: true)
            }
        }
    }

    /// The changes of one file; `nil` where there are none.
    private static func fixed(_ path: String, in root: Root, shownPath: String, isNamed: Bool) -> FixedFile? {
        guard let file = try? root.read(path, limit: PolicyFile.limits.bytes),
            isNamed || OtherPurpose(file.bytes, path: path) == nil
        else { return nil }
        let (bytes, fixes) = PolicyFile.fixed(file.bytes, path: path)
        if fixes.isEmpty { return nil }
        return FixedFile(path: path, shownPath: shownPath, bytes: bytes, status: file.status, fixes: fixes)
    }
}
