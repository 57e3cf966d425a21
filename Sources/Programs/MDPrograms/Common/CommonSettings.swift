package import MDPlatform
package import MDPolicyModel
package import MDPropertyList

/// What the keys of the common domain mean to programs, as the data files of the package and of administrators say.
package struct CommonSettings: Sendable {
    /// The domain of settings that many programs have.
    package static let domain: Key = "org.manageddefaults.common"
    /// The package's files.
    static let shipped = "/usr/share/managed-defaults/programs"
    /// The administrators' files, which add to the package's and replace what they say of a program's setting.
    static let local = "/etc/managed-defaults/programs"
    /// The most bytes of a file.
    private static let sizeLimit = 1 << 20

    private(set) var settings: [Key: CommonSetting] = [:]

    /// Why nothing of the package is known of any setting, as a clause; `nil` if it is.
    private(set) var gap: String?

    /// The mistakes in the files; each costs its own line; the path is that beneath the root.
    package private(set) var problems: [Diagnostic] = []

    /// The keys of the common domain.
    package var keys: Set<Key> { Set(settings.keys) }

    /// Reads the files; the package's own are those of the running system where a folder that is used as `/` has none.
    ///
    /// Such a folder may be without any: then no setting of the package is known.
    ///
    /// - Throws: a clause, if what the files say is unknown: the package's are missing on the running system, or a file
    ///   could not be read just now.
    package init(root: Root) throws(CommonSettingsError) {
        let home = root.isSystem || root.mayExist(CommonSettings.shipped) ? root : .system
        if home.mayExist(CommonSettings.shipped) {
            try read(CommonSettings.shipped, in: home, for: root)
        } else {
            let clause = "there is no \(CommonSettings.shipped), which says what they mean"
            if root.isSystem { throw CommonSettingsError(clause) }
            gap = clause
        }
        if root.mayExist(CommonSettings.local) { try read(CommonSettings.local, in: root, for: root) }
    }

    /// Reads files alone, without those of a machine.
    init(_ documents: [(name: String, bytes: [UInt8])]) {
        for document in documents { read(document.bytes, document.name, for: nil) }
    }

    /// Reads the files of a folder in byte order of their names.
    private mutating func read(_ folder: String, in home: Root, for root: Root) throws(CommonSettingsError) {
        let isOwn = folder == CommonSettings.local
        do throws(TrustError) {
            let directory = try home.trustedDirectory(folder)
            for name in try directory.names() where name.utf8.suffix(5).elementsEqual(".json".utf8) {
                if name.utf8.first == UInt8(ascii: ".") { continue }
                let path = "\(folder)/\(name)"
                do throws(TrustError) {
                    read(try directory.read(name, limit: CommonSettings.sizeLimit).bytes, path, for: root)
                } catch {
                    guard isOwn, CommonSettings.isMistake(error) else { throw error }
                    problems.append(CommonSettings.problem(error, at: path))
                }
            }
        } catch {
            guard isOwn, CommonSettings.isMistake(error) else { throw CommonSettingsError("\(error)") }
            problems.append(CommonSettings.problem(error, at: folder))
        }
    }

    private mutating func read(_ bytes: [UInt8], _ path: String, for root: Root?) {
        let file = CommonSettingsFile(bytes, path, after: settings) { domain in
            if !ProgramCatalog.programs(taking: domain).isEmpty { return true }
            // Schemas are read only for a domain that no other program has.
            return root.map { GSettings().prepared(for: $0).takes(domain) } ?? false
        }
        settings = file.settings
        problems += file.problems
    }

    /// Whether an error is one of the file; any other leaves open what the file says.
    private static func isMistake(_ error: TrustError) -> Bool {
        guard case .system(let cause) = error else { return true }
        return cause.isMissing || cause.isTooLarge || cause.isLoop || cause.isForbidden
    }

    private static func problem(_ error: TrustError, at path: String) -> Diagnostic {
        Diagnostic(
            file: path, code: error.isUntrusted ? .untrusted : .unreadable,
            message: Printable.escape("nothing of this counts, because \(error)"))
    }
}

/// Why it is not known what common settings mean.
package struct CommonSettingsError: Error, CustomStringConvertible {
    /// A clause.
    package let description: String

    init(_ description: String) { self.description = description }
}
