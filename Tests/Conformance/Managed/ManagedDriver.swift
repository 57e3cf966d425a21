import Foundation
import MDConformanceDriver
import MDConformanceTable
import ManagedDefaults

/// Does steps with ManagedDefaults.
final class ManagedDriver {
    /// The objects that a row made, by name.
    private var objects: [String: ManagedDefaults] = [:]
    /// The number of observed changes.
    private let counter = Counter()
    /// Keeps the observation.
    private var observation: ManagedDefaults.Observation?
    /// The defaults of a machine in a folder, if the row has one.
    private lazy var ofMachine: Result<ManagedDefaults, any Error>? = {
        guard let root = ProcessInfo.processInfo.environment["CONFORMANCE_ROOT"] else { return nil }
        return Result {
            try ManagedDefaults(
                root: root, user: "alice", application: "Conformance", arguments: CommandLine.arguments)
        }
    }()

    /// The shared object, or that of the row's machine.
    private func standard() throws -> ManagedDefaults {
        try ofMachine?.get() ?? .standard
    }

    /// Does one step.
    func answer(_ request: Request) throws -> Answer {
        var request = request
        switch request.operation {
        case "new": return try make(&request)
        case "reset":
            ManagedDefaults.resetStandardUserDefaults()
            return .done("")
        case "issame":
            let first = try standard()
            return .value(.boolean(first === (try standard())))
        default: break
        }
        guard let defaults = request.object == "standard" ? try standard() : objects[request.object] else {
            return .failed("There is no object \(request.object).")
        }
        if let answer = try read(&request, defaults) { return answer }
        if let answer = try write(&request, defaults) { return answer }
        if let answer = try domains(&request, defaults) { return answer }
        return try others(&request, defaults)
    }

    /// Makes an object.
    private func make(_ request: inout Request) throws -> Answer {
        let name = try request.word()
        switch try request.word() {
        case "suite": objects[name] = ManagedDefaults(suiteName: try request.text())
        case "init": objects[name] = ManagedDefaults()
        default: objects[name] = ManagedDefaults(user: try request.text())
        }
        return objects[name] == nil ? .value(.nothing) : .done("")
    }

    /// The getters.
    private func read(_ request: inout Request, _ defaults: ManagedDefaults) throws -> Answer? {
        switch request.operation {
        case "object": .value(Wire(foundation: defaults.object(forKey: try request.text())))
        case "string": .value(Wire(foundation: defaults.string(forKey: try request.text())))
        case "bool": .value(.boolean(defaults.bool(forKey: try request.text())))
        case "int": .value(.integer(Int128(defaults.integer(forKey: try request.text()))))
        case "float": .value(.real(Double(defaults.float(forKey: try request.text()))))
        case "double": .value(.real(defaults.double(forKey: try request.text())))
        case "array": .value(Wire(foundation: defaults.array(forKey: try request.text())))
        case "strings": .value(Wire(foundation: defaults.stringArray(forKey: try request.text())))
        case "dictionary": .value(Wire(foundation: defaults.dictionary(forKey: try request.text())))
        case "data": .value(Wire(foundation: defaults.data(forKey: try request.text())))
        case "url": .value(Wire(foundation: defaults.url(forKey: try request.text())))
        case "urlpath": .value(URLSupport.path(of: defaults.url(forKey: try request.text())))
        case "urlparts": .value(URLSupport.parts(of: defaults.url(forKey: try request.text())))
        case "unarchived": .value(URLSupport.unarchived(defaults.object(forKey: try request.text())))
        case "forced": .value(.boolean(defaults.objectIsForced(forKey: try request.text())))
        case "forcedin":
            .value(
                .boolean(
                    defaults.objectIsForced(forKey: try request.text(), inDomain: try request.text())))
        case "representation": .value(Wire(foundation: defaults.dictionaryRepresentation()))
        case "mutatereturned":
            try change(defaults.object(forKey: try request.text()))
        default: nil
        }
    }

    /// Changes a value that was returned, as far as it can be changed.
    private func change(_ value: Any?) throws -> Answer {
        if let value { MutableValue.mutate(value) }
        return .done("")
    }

    /// The setters.
    private func write(_ request: inout Request, _ defaults: ManagedDefaults) throws -> Answer? {
        switch request.operation {
        case "set":
            let key = try request.text()
            return answer(defaults.set(try request.argument(), forKey: key))
        case "setagain": return answer(defaults.set(MutableValue.last, forKey: try request.text()))
        case "setbool":
            let key = try request.text()
            return answer(defaults.set(try request.value() == .boolean(true), forKey: key))
        case "setint":
            let key = try request.text()
            guard case .integer(let value) = try request.value() else { return nil }
            return answer(defaults.set(Int(value), forKey: key))
        case "setfloat":
            let key = try request.text()
            guard case .real(let value) = try request.value() else { return nil }
            return answer(defaults.set(Float(value), forKey: key))
        case "setdouble":
            let key = try request.text()
            guard case .real(let value) = try request.value() else { return nil }
            return answer(defaults.set(value, forKey: key))
        case "seturl":
            let key = try request.text()
            return answer(defaults.set(try URLSupport.url(&request, home: NSHomeDirectory()), forKey: key))
        case "setarchive":
            let key = try request.text()
            return answer(defaults.set(try URLSupport.archive(&request), forKey: key))
        case "remove": return answer(defaults.removeObject(forKey: try request.text()))
        case "register":
            let left = defaults.register(defaults: try request.dictionary()).failedKeys
            return left.isEmpty ? .done("") : .raised("left out: \(left)")
        default: return nil
        }
    }

    /// What became of a write to a domain, in the words of rows.
    private func answer(_ outcome: ManagedDefaults.DomainOutcome) -> Answer {
        if let error = outcome.error { return .raised(error.description) }
        return .done(outcome.refused.isEmpty ? "" : "refused")
    }

    /// What became of a write, in the words of rows.
    private func answer(_ outcome: ManagedDefaults.WriteOutcome) -> Answer {
        switch outcome {
        case .stored: .done("stored")
        case .unchanged: .done("unchanged")
        case .refused: .done("refused")
        case .shadowed: .done("shadowed")
        case .clamped: .done("clamped")
        case .disallowed: .done("outside")
        case .invalid(let reason): .raised(reason.description)
        case .unavailable(let reason): .raised(reason.description)
        }
    }

    /// Domains and suites.
    private func domains(_ request: inout Request, _ defaults: ManagedDefaults) throws -> Answer? {
        switch request.operation {
        case "synchronize": return .value(.boolean(defaults.synchronize()))
        case "persistent": return .value(Wire(foundation: defaults.persistentDomain(forName: try request.text())))
        case "setpersistent":
            let name = try request.text()
            return answer(defaults.setPersistentDomain(try request.dictionary(), forName: name))
        case "removepersistent": return answer(defaults.removePersistentDomain(forName: try request.text()))
        case "persistentnames": return .value(.array(defaults.persistentDomainNames.map { .string($0) }))
        case "volatile": return .value(Wire(foundation: defaults.volatileDomain(forName: try request.text())))
        case "setvolatile":
            let name = try request.text()
            return answer(defaults.setVolatileDomain(try request.dictionary(), forName: name))
        case "removevolatile": defaults.removeVolatileDomain(forName: try request.text())
        case "volatilenames": return .value(.array(defaults.volatileDomainNames.map { .string($0) }))
        case "addsuite":
            return defaults.addSuite(named: try request.text()) ? .done("") : .raised("no name of a domain")
        case "removesuite": defaults.removeSuite(named: try request.text())
        case "searchlist": return .value(.array(defaults.searchList.map { .string($0) }))
        case "setsearchlist":
            guard case .array(let names) = try request.value() else { break }
            defaults.searchList = names.compactMap { name in
                if case .string(let name) = name { name } else { nil }
            }
        default: return nil
        }
        return .done("")
    }

    /// Observers and threads.
    private func others(_ request: inout Request, _ defaults: ManagedDefaults) throws -> Answer {
        switch request.operation {
        case "observe", "watch":
            let key = request.operation == "watch" ? try request.text() : nil
            let counter = counter
            observation = defaults.observeChanges(forKey: key) { _ in counter.increase() }
            return .done("")
        case "notifications", "watched":
            guard case .integer(let count) = try request.value() else { break }
            DriverLoop.wait { counter.count >= Int(count) }
            return .value(.integer(Int128(counter.count)))
        case "lastnotification": throw Missing("notifications")
        case "race":
            let key = try request.text()
            return .value(.boolean(Hammer.race { defaults.integer(forKey: key) }))
        case "hammer":
            let isRight = Hammer.run { key, value in
                defaults.set(value, forKey: key)
                return defaults.integer(forKey: key)
            }
            return .value(.boolean(isRight))
        default: break
        }
        return .failed("\(request.operation) is no operation.")
    }
}
