// The same with Foundation, which finds the domain by the environment: `FoundationProcess - DOMAIN`.
import Foundation

@main enum FoundationProcess {
    static func main() {
        let value = UserDefaults(suiteName: CommandLine.arguments[2])?.string(forKey: "Key7")
        guard value == "value 7" else { fatalError("wrong value") }
    }
}
