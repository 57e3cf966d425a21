import MDPlatform
import Testing

/// The system's tools that tests of fleets run.
enum SystemTools {
    /// Runs a test only where these programs are.
    static func needed(_ names: String...) -> ConditionTrait {
        .enabled(
            if: names.allSatisfy { Root.system.mayExist("/usr/bin/\($0)") },
            "needs \(names.joined(separator: " and "))")
    }
}
