/// Where Flatpaks and snaps are, and what Flatpaks read.
enum Sandbox {
    /// The folder of the system's Flatpaks.
    static let flatpaks = "/var/lib/flatpak"

    /// The folder of one of the system's Flatpaks.
    static func flatpak(_ name: String) -> String { "\(flatpaks)/app/\(name)" }

    /// The folders in which a snap can be.
    static func snap(_ name: String) -> [String] { ["/snap/\(name)", "/var/lib/snapd/snap/\(name)"] }

    /// The folder of an extension that Flatpak itself does not manage: a Flatpak with a point for it sees the files.
    ///
    /// - Parameters:
    ///   - name: the name of the extension.
    ///   - version: the version of the extension's point, else the branch of the Flatpak.
    /// - Returns: the folder.
    static func `extension`(_ name: String, version: String) -> String {
        "\(flatpaks)/extension/\(name)/\(architecture)/\(version)"
    }

    /// Flatpak's name of the architecture.
    private static var architecture: String {
        #if arch(arm64)
            "aarch64"
        #else
            "x86_64"
        #endif
    }

    /// What users can do where a browser reads a folder, as a clause.
    static func weakness(of folder: String) -> String {
        guard folder.utf8.starts(with: flatpaks.utf8) else { return ProgramReach.folderWeakness }
        return "a user who makes an extension of the same kind in ~/.local/share/flatpak/extension is free"
    }

    /// How policy can differ between users; a snap is put into the mounts of the machine, not of the login session.
    static func reach(of readers: [String], folder: String) -> ProgramReach {
        let isSnap = readers.contains { $0.utf8.starts(with: "/snap/".utf8) }
        return isSnap ? .machine : .instance(folder: folder)
    }
}
