package import MDPlatform
import MDPolicyModel
package import MDPropertyList

/// Every program that policy is written for.
package enum ProgramCatalog {
    /// The programs, in the order in which they are shown.
    package static let all: [any Program] =
        ChromiumFamily.all as [any Program] + MozillaFamily.all as [any Program]
        + [VisualStudioCode(), GSettings(), KDE(), XfceKiosk(), XfceSettings(), LibreOffice(), Polkit()]

    /// The program of a word on the command line.
    package static func program(named name: String) -> (any Program)? {
        all.first { Key($0.name) == Key(name) }
    }

    /// The programs that take a domain, without the places of Flatpaks and snaps.
    package static func programs(taking domain: Key) -> [any Program] {
        all.filter { !$0.isPlace && $0.takes(domain) }
    }
}

extension ProgramFinding {
    /// Whether it reports that a program that is not installed cannot carry something out.
    package func isIdle(in root: Root) -> Bool {
        if kind == .idle { return true }
        guard [.unsupported, .notKnown, .firstState].contains(kind) else { return false }
        return ProgramCatalog.program(named: program)?.isInstalled(in: root) == false
    }
}
