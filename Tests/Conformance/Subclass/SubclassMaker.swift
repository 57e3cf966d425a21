import ConformanceDriver
import ConformanceTable
import Foundation
import ManagedDefaults
import ManagedDefaultsFoundation

/// Objects of the subclass; what Foundation's class has no member for is asked of the defaults beneath.
final class SubclassMaker: UserDefaultsMaker {
    /// The defaults of a machine in a folder, where the row wants one.
    private lazy var ofMachine: Result<ManagedUserDefaults, any Error>? = {
        guard let root = ProcessInfo.processInfo.environment["CONFORMANCE_ROOT"] else { return nil }
        return Result {
            let managed = try ManagedDefaults(
                root: root, user: "alice", application: "Conformance", arguments: CommandLine.arguments)
            return prepared(ManagedUserDefaults(managed))
        }
    }()
    /// Why the last write was refused.
    private let refusal = Refusal()
    /// How many changes of a watched key were told.
    private let watched = Counter()
    /// Keeps the observation.
    private var observation: ManagedDefaults.Observation?

    /// The shared object, or that of the row's machine.
    var standard: UserDefaults {
        get throws { try ofMachine?.get() ?? prepared(.standard) }
    }

    /// Forgets the shared object.
    func reset() { ManagedUserDefaults.resetStandardUserDefaults() }

    /// A new object.
    func make(_ kind: String, _ name: String) throws -> UserDefaults? {
        switch kind {
        case "init": prepared(ManagedUserDefaults(ManagedDefaults()))
        case "suite": ManagedUserDefaults(suiteName: name).map { prepared($0) }
        default: ManagedDefaults(user: name).map { prepared(ManagedUserDefaults($0)) }
        }
    }

    /// Why the last write was refused, once.
    func takeRefusal() -> String? { refusal.take() }

    /// Asks the defaults beneath.
    func special(_ request: inout Request, _ defaults: UserDefaults) throws -> Answer? {
        guard let managed = (defaults as? ManagedUserDefaults)?.managed else { return nil }
        switch request.operation {
        case "searchlist": return .value(.array(managed.searchList.map { .string($0) }))
        case "setsearchlist":
            guard case .array(let names) = try request.value() else { return nil }
            managed.searchList = names.compactMap { name in
                if case .string(let name) = name { name } else { nil }
            }
            return .done("")
        case "persistentnames": return .value(.array(managed.persistentDomainNames.map { .string($0) }))
        case "watch":
            let watched = watched
            observation = managed.observe(try request.text()) { _ in watched.increase() }
            return .done("")
        case "watched":
            guard case .integer(let count) = try request.value() else { return nil }
            DriverLoop.wait { watched.count >= Int(count) }
            return .value(.integer(Int128(watched.count)))
        default: return nil
        }
    }

    /// Has refusals told to this driver; a forced key is refused silently, as the documents have it.
    private func prepared(_ defaults: ManagedUserDefaults) -> ManagedUserDefaults {
        let refusal = refusal
        defaults.onRefusal = { _, outcome in
            if case .invalid(let reason) = outcome { refusal.set(reason) }
        }
        return defaults
    }
}
