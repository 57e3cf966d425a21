package import MDPlatform
package import MDPropertyList

/// Which domain is the application's, and how that was found out.
package struct ApplicationIdentity: Sendable, Hashable {
    /// The source of the name, surest first.
    package enum Source: String, Sendable {
        /// The program's own code said it.
        case code
        /// `CFBundleIdentifier` of an Info.plist beside the program that the user cannot write.
        case infoFile = "info-plist"
        /// The name of the program's file: a copy under another name is another application.
        case fileName = "file-name"
    }

    /// The application's domain.
    package let domain: Key
    /// The source of the name.
    package let source: Source

    /// Makes an identity.
    package init(domain: Key, source: Source) {
        self.domain = domain
        self.source = source
    }

    /// The most bytes of an Info.plist that are read; real ones have a few kilobytes.
    private static let infoLimit = 1 << 20

    /// Finds out which application the current process is, without its code having said so.
    ///
    /// Only the kernel's link to the program's file is asked: never argv, the environment or the working directory.
    package static func ofCurrentProcess() -> ApplicationIdentity {
        ofProgram(at: CurrentProcess.executablePath ?? "/unknown", in: .system)
    }

    /// Finds out which application a program is, without its code having said so.
    ///
    /// - Parameters:
    ///   - path: the program's file under the root, no link.
    ///   - root: the machine.
    /// - Returns: the identity; the name of the file if there is no other name.
    package static func ofProgram(at path: String, in root: Root) -> ApplicationIdentity {
        let (folder, name) = split(path)
        if let file = try? root.readTrusted(folder + "/Info.plist", limit: infoLimit),
            let document = try? Document.read(file.bytes), let entries = document.root.entries,
            case .scalar(.string(let identifier))? = entries.last(where: { $0.key == "CFBundleIdentifier" })?.value
                .content, !identifier.isEmpty
        {
            return ApplicationIdentity(domain: Key(identifier), source: .infoFile)
        }
        return ApplicationIdentity(domain: Key(name), source: .fileName)
    }

    /// Folder and name of a path.
    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", path) }
        return (String(path[..<slash]), String(path[path.utf8.index(after: slash)...]))
    }
}
