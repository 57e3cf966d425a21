import Foundation
import MDConformanceDriver
import MDConformanceTable
import ManagedDefaults
import ManagedDefaultsFoundation
import Synchronization

/// Objects of the subclass; what Foundation's class has no member for is asked of the defaults beneath.
final class SubclassMaker: UserDefaultsMaker {
    /// The defaults of a machine in a folder, if the row has one.
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
    /// The number of observed changes of a watched key.
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
            observation = managed.observeChanges(forKey: try request.text()) { _ in watched.increase() }
            return .done("")
        case "watched":
            guard case .integer(let count) = try request.value() else { return nil }
            DriverLoop.wait { watched.count >= Int(count) }
            return .value(.integer(Int128(watched.count)))
        default: return nil
        }
    }

    /// Sends refusals to this driver; the refusal of a forced key is ignored, as the documents have it.
    private func prepared(_ defaults: ManagedUserDefaults) -> ManagedUserDefaults {
        let refusal = refusal
        defaults.onRefusal = { _, outcome in
            switch outcome {
            case .invalid(let reason): refusal.set(reason.description)
            case .unavailable(let reason): refusal.set(reason.description)
            default: return
            }
        }
        return defaults
    }
}

/// The reason of a refused write, which another thread may set.
final class Refusal: Sendable {
    /// The reason.
    private let reason = Mutex<String?>(nil)

    /// Notes a reason.
    func set(_ text: String) {
        reason.withLock { $0 = text }
    }

    /// Takes the reason, once.
    func take() -> String? {
        reason.withLock { reason in
            defer { reason = nil }
            return reason
        }
    }
}
