import Audit
import Engine
import ManagedDefaults
import ManagedDefaultsFoundation
import ManagedDefaultsTesting
import Platform
import Policy
import Preferences
import PropertyList
import TestSupport

/// An application whose targets have general names, and that uses all libraries of ManagedDefaults.
@main
enum Collision {
    /// Uses a name of each module.
    static func main() {
        let modules = [
            auditModule, engineModule, platformModule, policyModule, preferencesModule, propertyListModule,
            testSupportModule,
        ]
        let bed = ManagedDefaults.TestBed(stored: ["Modules": modules])
        let defaults = ManagedUserDefaults(bed.defaults)
        print(defaults.stringArray(forKey: "Modules") == modules ? "no collision" : "collision")
    }
}
