// The functions have the names of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Glibc
public import MDCInterface
import MDEngine
import MDPlatform
import MDPreferences
import MDPropertyList

/// What a handle of C means: an engine, and the problems that were not handed over yet.
final class OpenDefaults: Sendable {
    /// The open handles.
    static let handles = HandleTable<OpenDefaults>(first: 1)

    /// The search list, the snapshot and the store behind it.
    let engine: DefaultsEngine
    /// The sentences of problems, the oldest first.
    private let problems = Guarded<[String]>(resettable: [])

    /// Wraps an engine.
    init(_ engine: DefaultsEngine) { self.engine = engine }

    /// Hands over the oldest problem.
    func nextProblem() -> String? {
        let found = engine.takeProblems().map(\.message)
        return problems.withLock { problems in
            problems += found
            return problems.isEmpty ? nil : problems.removeFirst()
        }
    }

    /// The defaults of a handle and a key, if both are what they have to be.
    static func find(
        _ handle: OpaquePointer?, _ key: UnsafePointer<CChar>?
    ) -> (defaults: OpenDefaults, key: Key)? {
        guard let defaults = unsafe handles.object(handle), let key = unsafe CText.string(key) else { return nil }
        return (defaults, Key(key))
    }
}

/// Where C gets a text.
typealias TextPlace = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

/// Opens the caller's defaults on this machine.
@c @implementation
public func mdefaults_open(
    _ application: UnsafePointer<CChar>?, _ problem: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> OpaquePointer? {
    unsafe CText.clear(problem)
    var domain: Key?
    if unsafe application != nil {
        guard let name = unsafe domainName(application, problem) else { return nil }
        domain = name
    }
    return unsafe OpenDefaults.handles.add(OpenDefaults(.ofApplication(domain)))
}

/// Opens the defaults of a user of a machine in a folder.
@c @implementation
public func mdefaults_open_root(
    _ root: UnsafePointer<CChar>?, _ user: UnsafePointer<CChar>?, _ application: UnsafePointer<CChar>?,
    _ problem: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> OpaquePointer? {
    unsafe CText.clear(problem)
    guard let domain = unsafe domainName(application, problem) else { return nil }
    guard let folder = unsafe CText.string(root), !folder.isEmpty else {
        _ = unsafe CText.give("The folder of the machine is missing or no text of UTF-8.", to: problem)
        return nil
    }
    var name: String?
    if unsafe user != nil {
        guard let text = unsafe CText.string(user) else {
            _ = unsafe CText.give("The name of the user is no text of UTF-8.", to: problem)
            return nil
        }
        name = text
    }
    do throws(SessionError) {
        let engine = try DefaultsEngine(folder: folder, user: name, application: domain, arguments: [])
        return unsafe OpenDefaults.handles.add(OpenDefaults(engine))
    } catch {
        _ = unsafe CText.give(error.description, to: problem)
        return nil
    }
}

/// Closes a handle.
@c @implementation
public func mdefaults_close(_ defaults: OpaquePointer?) {
    guard let closed = unsafe OpenDefaults.handles.remove(defaults) else { return }
    OpenWatch.closeAll(of: closed)
    _ = closed.engine.synchronize()
}

/// Frees memory that a function returned.
@c @implementation
public func mdefaults_free(_ pointer: UnsafeMutableRawPointer?) {
    // The memory is that of `malloc`, as the header says of everything that is returned.
    unsafe free(pointer)
}

/// Saves, then reads policy and files again.
@c @implementation
public func mdefaults_synchronize(_ defaults: OpaquePointer?) -> mdefaults_status {
    guard let defaults = unsafe OpenDefaults.handles.object(defaults) else { return MDEFAULTS_BAD_ARGUMENT }
    return defaults.engine.synchronize() ? MDEFAULTS_OK : MDEFAULTS_FAILED
}

/// Hands over the oldest problem.
@c @implementation
public func mdefaults_problem(
    _ defaults: OpaquePointer?, _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> mdefaults_status {
    unsafe CText.clear(sentence)
    guard let defaults = unsafe OpenDefaults.handles.object(defaults), unsafe sentence != nil else {
        return MDEFAULTS_BAD_ARGUMENT
    }
    guard let problem = defaults.nextProblem() else { return MDEFAULTS_NO_VALUE }
    return unsafe CText.give(problem, to: sentence) ? MDEFAULTS_OK : MDEFAULTS_NO_MEMORY
}

/// Adds a shared domain to the search list.
@c @implementation
public func mdefaults_add_suite(_ defaults: OpaquePointer?, _ suite: UnsafePointer<CChar>?) -> mdefaults_status {
    guard let (defaults, name) = unsafe OpenDefaults.find(defaults, suite), defaults.engine.addSuite(name) else {
        return MDEFAULTS_BAD_ARGUMENT
    }
    return MDEFAULTS_OK
}

/// Takes a shared domain out of the search list.
@c @implementation
public func mdefaults_remove_suite(_ defaults: OpaquePointer?, _ suite: UnsafePointer<CChar>?) -> mdefaults_status {
    guard let (defaults, name) = unsafe OpenDefaults.find(defaults, suite) else { return MDEFAULTS_BAD_ARGUMENT }
    defaults.engine.removeSuite(name)
    return MDEFAULTS_OK
}

/// Reads the name of an application's domain, or says why the text is not one.
private func domainName(_ text: UnsafePointer<CChar>?, _ problem: TextPlace?) -> Key? {
    guard let name = unsafe CText.string(text) else {
        _ = unsafe CText.give("The name of the application is missing or no text of UTF-8.", to: problem)
        return nil
    }
    let domain = Key(name)
    guard domain == DomainName.global || DefaultsEngine.isUsableSuite(domain) else {
        _ = unsafe CText.give("\(Printable.escape(name)) cannot be the name of an application's domain.", to: problem)
        return nil
    }
    return domain
}
