/// The packages that are made.
enum PackageKind {
    /// The command, the audit service and what belongs to them.
    case administration
    /// The shared library.
    case library
    /// The header, for authors of programs that use the library.
    case development
    /// The module for Python.
    case python
    /// The bundle for programs of GNUstep.
    case gnustep
    /// The page on Cockpit.
    case page

    /// Whether one package serves machines of all kinds.
    var isForAll: Bool { self == .python || self == .page }

    /// The maintainer of the packages.
    static let maintainer = "ManagedDefaults maintainers <maintainers@managed-defaults.example>"

    /// The name of the package.
    var name: String {
        switch self {
        case .administration: "managed-defaults"
        case .library: "libmanaged-defaults1"
        case .development: "libmanaged-defaults-dev"
        case .python: "python3-managed-defaults"
        case .gnustep: "gnustep-managed-defaults"
        case .page: "cockpit-managed-defaults"
        }
    }

    /// The description of the package for dpkg.
    func control(version: String, size: String, architecture: String, libraries: String) -> String {
        """
        Package: \(name)
        \(self == .administration ? "" : "Source: managed-defaults\n")Version: \(version)
        Architecture: \(architecture)
        Maintainer: \(PackageKind.maintainer)
        Installed-Size: \(size)
        \(relations(version: version, libraries: libraries))
        Priority: optional
        Homepage: https://managed-defaults.example/
        Description: \(description)

        """
    }

    /// What the package needs, and which section of the archive it belongs to.
    private func relations(version: String, libraries: String) -> String {
        switch self {
        case .administration:
            """
            Depends: libc6 (>= 2.34), systemd (>= 249), init-system-helpers (>= 1.52)
            Recommends: openssl, openssh-client
            Suggests: libpam-runtime
            Section: admin
            """
        case .library:
            """
            Depends: \(libraries)
            Recommends: managed-defaults
            Section: libs
            Multi-Arch: same
            """
        case .development:
            """
            Depends: libmanaged-defaults1 (= \(version))
            Section: libdevel
            Multi-Arch: same
            """
        case .python:
            """
            Depends: python3 (>= 3.9), libmanaged-defaults1 (>= \(version))
            Suggests: python3-gi, gir1.2-gtk-3.0
            Section: python
            """
        case .gnustep:
            """
            Depends: libmanaged-defaults1 (>= \(version)), \(libraries)
            Section: gnustep
            """
        case .page:
            """
            Depends: cockpit-bridge (>= 265), managed-defaults (>= \(version))
            Recommends: cockpit-system, cockpit-ws
            Section: admin
            """
        }
    }

    /// The description for people, as dpkg wants it: a line, then lines that begin with a blank.
    private var description: String {
        switch self {
        case .administration:
            """
            forced settings for applications, with an audit log
             An administrator puts policy files into /etc/managed-defaults. They define
             values that come before those of every user. The command says what is in
             force and from which file and line, and the service records attempts to
             override a forced value.
            """
        case .library:
            """
            forced settings for applications, shared library
             Programs read a user's settings with the values that an administrator forces
             ahead of them, ask which keys are forced and by whom, store values, and are
             told of changes. The library contains the runtime of Swift.
            """
        case .development:
            """
            forced settings for applications, development files
             The header of the C interface, its manual pages, the description for
             pkg-config, and example programs in C, shell, JavaScript and Objective-C.
            """
        case .python:
            """
            forced settings for applications, Python module
             Programs in Python read a user's settings with the values that an
             administrator forces ahead of them, ask which keys are forced, by whom and
             why, store values, and are told of changes by asyncio. Example programs, one
             of them in GTK, belong to it.
            """
        case .gnustep:
            """
            forced settings for applications, programs of GNUstep
             A bundle that all programs of GNUstep with windows load. It puts the values
             that an administrator forces ahead of the user's, follows changes, and
             records what a program tries to set instead.
            """
        case .page:
            """
            forced settings for applications, page in Cockpit
             A page in the web console Cockpit shows what is forced on whom and why,
             checks and installs policy files, starts and ends exams, follows attempts
             to override, and shows the report. Each person does what the machine lets
             that person do.
            """
        }
    }
}
