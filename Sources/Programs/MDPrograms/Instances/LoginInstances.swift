package import MDPlatform
import MDPolicyModel
import MDPropertyList

/// The instances of programs' folders that login sessions get by pam_namespace, one for each user.
///
/// A session sees the instance of its user in place of the program's folder. The folder above the instances has no
/// permissions at all, as pam_namespace requires, so that users reach an instance only where it is mounted.
package enum LoginInstances {
    /// The folder of all instances; it is empty after each boot.
    package static let home = "/run/managed-defaults/programs"
    /// The configuration of pam_namespace.
    package static let configuration = "/etc/security/namespace.d/managed-defaults.conf"
    /// The file that turns instances on for sessions.
    static let switchPath = "\(WrittenFiles.home)/enabled"
    /// The instance with the foreign files of the folder, from which those of users begin.
    static let base = ".base"

    /// Whether sessions are to get instances.
    package static func areEnabled(in root: Root) -> Bool { root.mayExist(switchPath) }

    /// Turns instances on or off for the next `policy apply`.
    package static func setEnabled(_ isEnabled: Bool, in root: Root) throws(SystemError) {
        if isEnabled {
            try root.createDirectory(WrittenFiles.home, mode: 0o755)
            return try root.replace(switchPath, with: [], mode: 0o644)
        }
        do throws(SystemError) {
            try root.remove(switchPath)
        } catch {
            if !error.isMissing { throw error }
        }
    }

    /// Removes the folder of all instances, if it is empty and nothing is mounted there.
    package static func removeHome(in root: Root) throws(SystemError) {
        for folder in [home, ProgramFile.folder(of: home)] {
            guard root.mayExist(folder), try root.names(in: folder).isEmpty else { return }
            do throws(SystemError) {
                try root.removeDirectory(folder)
            } catch {
                if !error.isBusy { throw error }
            }
        }
    }

    /// The folder of a program if sessions can have their own instance of it, else `nil`.
    package static func folder(of program: any Program) -> String? {
        if case .instance(let folder) = program.reach { folder } else { nil }
    }

    /// Whether a name can be that of an instance.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.first != UInt8(ascii: ".") && !name.utf8.contains(UInt8(ascii: "/"))
    }

    /// The configuration of pam_namespace for some programs: a line for each.
    ///
    /// A folder that is gone, because the program was removed, is made again: otherwise no session gets any instance.
    package static func sessionFile(for programs: [any Program]) -> ProgramFile? {
        let lines = programs.compactMap { program in
            folder(of: program).map { "\($0) \(home)/\(program.name)/ user:create=0755,root,root root" }
        }
        if lines.isEmpty { return nil }
        let text = ["# Written by mdefaults programs enable."] + lines
        return ProgramFile(configuration, .bytes(Array((text.joined(separator: "\n") + "\n").utf8)))
    }

    /// The programs whose folders get instances in sessions: by the configuration that is in place, or by the environment that
    /// sessions get.
    package static func programs(in root: Root) -> [any Program] {
        let bytes = (try? root.read(configuration, limit: 1 << 16).bytes) ?? []
        let folders = Set(
            bytes.split(separator: 0x0a).map { Key(String(decoding: $0.prefix { $0 != 0x20 }, as: UTF8.self)) })
        let areEnabled = areEnabled(in: root)
        return ProgramCatalog.all.filter { program in
            switch program.reach {
            case .instance(let folder): folders.contains(Key(folder))
            case .session: areEnabled
            case .user, .machine: false
            }
        }
    }

    /// Whether this process sees an instance in place of a program's folder, because it runs in a login session.
    package static func isInside(_ root: Root) -> Bool {
        root.isSystem
            && ProgramCatalog.all.contains { program in
                folder(of: program).map { (try? root.isMountPoint($0)) == true } ?? false
            }
    }

    /// The users who have an instance of a program's folder.
    package static func users(of program: any Program, in root: Root) -> [String] {
        ((try? root.names(in: "\(home)/\(program.name)")) ?? []).filter(isName)
    }
}
