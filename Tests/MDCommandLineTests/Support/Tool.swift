import Foundation

/// Foreign programs that tests compare with.
enum Tool {
    /// Where a program is; `nil` where it is not installed.
    static func path(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").components(separatedBy: ":")
            .map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The property list tool of the Swift toolchain, or `nil`; GNUstep's of the same name is another program.
    static let plutil: String? = path("swift").flatMap { swift in
        let folder = URL(fileURLWithPath: swift).resolvingSymlinksInPath().deletingLastPathComponent().path
        return FileManager.default.isExecutableFile(atPath: folder + "/plutil") ? folder + "/plutil" : nil
    }

    /// GNUstep's `defaults`, or `nil`; Apple's has the same name.
    static let gnustepDefaults: String? =
        FileManager.default.fileExists(atPath: "/etc/GNUstep") ? path("defaults") : nil

    /// Whether a program is installed.
    static func isAvailable(_ name: String) -> Bool { path(name) != nil }
}
