package import Foundation
package import MDConformanceTable

/// Does steps with Foundation's UserDefaults, or with a subclass of it.
package final class UserDefaultsDriver {
    /// The objects that a row made, by name.
    private var objects: [String: UserDefaults] = [:]
    /// The received notifications.
    private let notifications = NotificationRecord()
    /// What differs between Foundation and its subclass.
    private let maker: any UserDefaultsMaker

    /// Makes a driver.
    package init(_ maker: any UserDefaultsMaker) {
        self.maker = maker
    }

    /// Does one step.
    package func answer(_ request: Request) throws -> Answer {
        var request = request
        if request.operation == "new" {
            let name = try request.word()
            let made = try maker.make(try request.word(), request.isAtEnd ? "" : try request.text())
            objects[name] = made
            return made == nil ? .value(.nothing) : .done("")
        }
        if request.operation == "reset" {
            maker.reset()
            return .done("")
        }
        guard let defaults = request.object == "standard" ? try maker.standard : objects[request.object] else {
            return .failed("There is no object \(request.object).")
        }
        if let answer = try maker.special(&request, defaults) { return answer }
        if let answer = try read(&request, defaults) { return answer }
        _ = maker.takeRefusal()
        if let answer = try write(&request, defaults) ?? domains(&request, defaults) {
            return maker.takeRefusal().map { .raised($0) } ?? answer
        }
        return try others(&request, defaults)
    }

    /// The getters.
    private func read(_ request: inout Request, _ defaults: UserDefaults) throws -> Answer? {
        let key: String
        switch request.operation {
        case "object", "string", "bool", "int", "float", "double", "array", "strings", "dictionary", "data", "url",
            "urlpath", "urlparts", "unarchived", "mutatereturned", "forced":
            key = try request.text()
        default: return nil
        }
        switch request.operation {
        case "object": return .value(Wire(foundation: defaults.object(forKey: key)))
        case "string": return .value(Wire(foundation: defaults.string(forKey: key)))
        case "bool": return .value(.boolean(defaults.bool(forKey: key)))
        case "int": return .value(.integer(Int128(defaults.integer(forKey: key))))
        case "float": return .value(.real(Double(defaults.float(forKey: key))))
        case "double": return .value(.real(defaults.double(forKey: key)))
        case "array": return .value(Wire(foundation: defaults.array(forKey: key)))
        case "strings": return .value(Wire(foundation: defaults.stringArray(forKey: key)))
        case "dictionary": return .value(Wire(foundation: defaults.dictionary(forKey: key)))
        case "data": return .value(Wire(foundation: defaults.data(forKey: key)))
        case "url": return .value(Wire(foundation: defaults.url(forKey: key)))
        case "urlpath": return .value(URLSupport.path(of: defaults.url(forKey: key)))
        case "urlparts": return .value(URLSupport.parts(of: defaults.url(forKey: key)))
        case "unarchived": return .value(URLSupport.unarchived(defaults.object(forKey: key)))
        case "mutatereturned":
            if let value = defaults.object(forKey: key) { MutableValue.mutate(value) }
            return .done("")
        default: return .value(.boolean(defaults.objectIsForced(forKey: key)))
        }
    }

    /// The setters.
    private func write(_ request: inout Request, _ defaults: UserDefaults) throws -> Answer? {
        switch request.operation {
        case "set":
            let key = try request.text()
            defaults.set(try request.argument(), forKey: key)
        case "setagain": defaults.set(MutableValue.last, forKey: try request.text())
        case "setbool":
            let key = try request.text()
            defaults.set(try request.value() == .boolean(true), forKey: key)
        case "setint":
            let key = try request.text()
            if case .integer(let value) = try request.value() { defaults.set(Int(value), forKey: key) }
        case "setfloat":
            let key = try request.text()
            if case .real(let value) = try request.value() { defaults.set(Float(value), forKey: key) }
        case "setdouble":
            let key = try request.text()
            if case .real(let value) = try request.value() { defaults.set(value, forKey: key) }
        case "seturl":
            let key = try request.text()
            defaults.set(try URLSupport.url(&request, home: NSHomeDirectory()), forKey: key)
        case "setarchive":
            let key = try request.text()
            defaults.set(try URLSupport.archive(&request), forKey: key)
        case "remove": defaults.removeObject(forKey: try request.text())
        case "register": defaults.register(defaults: try request.dictionary())
        default: return nil
        }
        return .done("")
    }

    /// Domains, suites and the rest of the members.
    private func domains(_ request: inout Request, _ defaults: UserDefaults) throws -> Answer? {
        switch request.operation {
        case "persistent": return .value(Wire(foundation: defaults.persistentDomain(forName: try request.text())))
        case "setpersistent":
            let name = try request.text()
            defaults.setPersistentDomain(try request.dictionary(), forName: name)
        case "removepersistent": defaults.removePersistentDomain(forName: try request.text())
        case "volatile": return .value(Wire(foundation: defaults.volatileDomain(forName: try request.text())))
        case "setvolatile":
            let name = try request.text()
            defaults.setVolatileDomain(try request.dictionary(), forName: name)
        case "removevolatile": defaults.removeVolatileDomain(forName: try request.text())
        case "volatilenames": return .value(.array(defaults.volatileDomainNames.map { .string($0) }))
        case "addsuite": defaults.addSuite(named: try request.text())
        case "removesuite": defaults.removeSuite(named: try request.text())
        case "representation": return .value(Wire(foundation: defaults.dictionaryRepresentation()))
        case "synchronize": return .value(.boolean(defaults.synchronize()))
        case "forcedin":
            let key = try request.text()
            return .value(.boolean(defaults.objectIsForced(forKey: key, inDomain: try request.text())))
        default: return nil
        }
        return .done("")
    }

    /// Notifications, threads and comparisons of objects.
    private func others(_ request: inout Request, _ defaults: UserDefaults) throws -> Answer {
        switch request.operation {
        case "observe":
            notifications.begin(UserDefaults.didChangeNotification, object: defaults)
            return .done("")
        case "notifications":
            guard case .integer(let count) = try request.value() else { break }
            DriverLoop.wait { notifications.count >= Int(count) }
            return .value(.integer(Int128(notifications.count)))
        case "lastnotification": return .value(notifications.last)
        case "issame":
            return .value(.boolean(try maker.standard === maker.standard))
        case "race":
            nonisolated(unsafe) let shared = defaults
            let key = try request.text()
            return .value(.boolean(Hammer.race { shared.integer(forKey: key) }))
        case "hammer":
            nonisolated(unsafe) let shared = defaults
            let isRight = Hammer.run { key, value in
                shared.set(value, forKey: key)
                return shared.integer(forKey: key)
            }
            return .value(.boolean(isRight))
        default: break
        }
        return .failed("\(request.operation) is no operation.")
    }
}

/// How objects are made, and what only some subjects can do.
package protocol UserDefaultsMaker {
    /// The shared object.
    var standard: UserDefaults { get throws }

    /// Forgets the shared object.
    func reset()

    /// A new object.
    ///
    /// - Parameters:
    ///   - kind: `init`, `user` or `suite`.
    ///   - name: the user or the suite.
    /// - Returns: the object; `nil` if the subject refuses to make it.
    /// - Throws: ``Missing`` if there is no such initializer.
    func make(_ kind: String, _ name: String) throws -> UserDefaults?

    /// Why the last write was refused, once; `nil` if it was not, or the subject cannot say so.
    func takeRefusal() -> String?

    /// Does what only some subjects can; `nil` for any other operation.
    func special(_ request: inout Request, _ defaults: UserDefaults) throws -> Answer?
}

/// Foundation's own objects.
package struct FoundationMaker: UserDefaultsMaker {
    /// Makes a maker.
    package init() {}

    /// The shared object.
    package var standard: UserDefaults { .standard }

    /// Forgets the shared object.
    package func reset() { UserDefaults.resetStandardUserDefaults() }

    /// A new object.
    package func make(_ kind: String, _ name: String) throws -> UserDefaults? {
        switch kind {
        case "init": return UserDefaults()
        case "suite": return UserDefaults(suiteName: name)
        default: throw Missing("init(user:)")
        }
    }

    /// Foundation has no way to refuse.
    package func takeRefusal() -> String? { nil }

    /// Names the members that Foundation on Linux does not have.
    package func special(_ request: inout Request, _ defaults: UserDefaults) throws -> Answer? {
        switch request.operation {
        case "searchlist", "setsearchlist": throw Missing("searchList")
        case "persistentnames": throw Missing("persistentDomainNames")
        case "watch", "watched": throw Missing("key-value observing")
        default: return nil
        }
    }
}

/// A member that the subject does not have.
package struct Missing: Error {
    /// Its name.
    package let member: String

    /// Names a member.
    package init(_ member: String) {
        self.member = member
    }
}
