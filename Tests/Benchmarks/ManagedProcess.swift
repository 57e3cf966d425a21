// A whole program that reads one key of an application's domain: `ManagedProcess ROOT DOMAIN`.
import ManagedDefaults

@main enum ManagedProcess {
    static func main() throws {
        let words = CommandLine.arguments
        let defaults = try ManagedDefaults(root: words[1], user: "user", application: words[2])
        guard defaults.string(forKey: "Key7") == "value 7" else { fatalError("wrong value") }
    }
}
