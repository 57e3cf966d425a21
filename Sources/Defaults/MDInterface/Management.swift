// The functions have the names of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import MDCInterface
import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// Whether an administrator decides the value of a key.
@c @implementation
public func mdefaults_is_forced(_ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?) -> Bool {
    guard let (defaults, key) = unsafe OpenDefaults.find(defaults, key) else { return true }
    return defaults.engine.cell.isForced(key.string)
}

/// Whether an administrator decides the value of a key in one domain.
@c @implementation
public func mdefaults_is_forced_in_domain(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ domain: UnsafePointer<CChar>?
) -> Bool {
    guard let (defaults, key) = unsafe OpenDefaults.find(defaults, key), let domain = unsafe CText.string(domain) else {
        return true
    }
    return defaults.engine.forcedEntry(domain: Key(domain), key: key) != nil
}

/// Returns the policy entry that forces a key.
@c @implementation
public func mdefaults_forced_by(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?,
    _ entry: UnsafeMutablePointer<UnsafeMutablePointer<mdefaults_entry>?>?
) -> mdefaults_status {
    unsafe entry?.pointee = nil
    guard let (defaults, key) = unsafe OpenDefaults.find(defaults, key), let entry = unsafe entry else {
        return MDEFAULTS_BAD_ARGUMENT
    }
    guard let found = defaults.engine.decidingEntry(for: key) else { return MDEFAULTS_NO_VALUE }
    let root = defaults.engine.root
    let texts = [
        found.domain.string, found.key.string, found.origin.policy, found.metadata.title, found.description,
        found.contact, root.display(found.origin.file), found.refusal(in: root),
    ]
    guard let (memory, places) = unsafe CText.block(MemoryLayout<mdefaults_entry>.size, texts) else {
        return MDEFAULTS_NO_MEMORY
    }
    let block = unsafe memory.bindMemory(to: mdefaults_entry.self, capacity: 1)
    unsafe block.initialize(
        to: mdefaults_entry(
            domain: places[0], key: places[1], policy: places[2], title: places[3], summary: places[4],
            contact: places[5], file: places[6], message: places[7], line: Int64(found.origin.position.line)))
    unsafe entry.pointee = block
    return MDEFAULTS_OK
}

/// Returns what brought the policy file that forces a key.
@c @implementation
public func mdefaults_introduced_by(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?,
    _ introduction: UnsafeMutablePointer<UnsafeMutablePointer<mdefaults_introduction>?>?
) -> mdefaults_status {
    unsafe introduction?.pointee = nil
    guard let (defaults, key) = unsafe OpenDefaults.find(defaults, key), let introduction = unsafe introduction else {
        return MDEFAULTS_BAD_ARGUMENT
    }
    guard let entry = defaults.engine.decidingEntry(for: key),
        let found = PolicyIntroduction(of: entry.origin.file, entry.fileDigest, in: defaults.engine.root)
    else { return MDEFAULTS_NO_VALUE }
    let texts = [found.by, found.reason, found.sentence()]
    guard let (memory, places) = unsafe CText.block(MemoryLayout<mdefaults_introduction>.size, texts) else {
        return MDEFAULTS_NO_MEMORY
    }
    let block = unsafe memory.bindMemory(to: mdefaults_introduction.self, capacity: 1)
    unsafe block.initialize(
        to: mdefaults_introduction(
            by: places[0], reason: places[1], message: places[2], generation: Int64(found.generation ?? 0),
            time: found.time.map { Double($0.microseconds) / 1_000_000 } ?? 0, is_by_hand: found.isByHand))
    unsafe introduction.pointee = block
    return MDEFAULTS_OK
}

/// What the user may choose.
@c @implementation
public func mdefaults_allowed(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?,
    _ phrase: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> mdefaults_status {
    unsafe CText.clear(phrase)
    guard let (defaults, key) = unsafe OpenDefaults.find(defaults, key), unsafe phrase != nil else {
        return MDEFAULTS_BAD_ARGUMENT
    }
    guard let constraint = defaults.engine.constraint(of: key) else { return MDEFAULTS_NO_VALUE }
    return unsafe CText.give(constraint.words, to: phrase) ? MDEFAULTS_OK : MDEFAULTS_NO_MEMORY
}

/// What the user may choose, as JSON.
@c @implementation
public func mdefaults_allowed_json(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?,
    _ allowed: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> mdefaults_status {
    unsafe CText.clear(allowed)
    guard let (defaults, key) = unsafe OpenDefaults.find(defaults, key), unsafe allowed != nil else {
        return MDEFAULTS_BAD_ARGUMENT
    }
    guard let constraint = defaults.engine.constraint(of: key) else { return MDEFAULTS_NO_VALUE }
    let (rule, origin) = (constraint.entry.constraint, constraint.entry.origin)
    var members: [Key: Value] = [
        "allowed": .string(constraint.words),
        "origin": .dictionary([
            "policy": .string(origin.policy), "file": .string(defaults.engine.root.display(origin.file)),
            "line": .integer(Integer(origin.position.line)), "column": .integer(Integer(origin.position.column)),
        ]),
    ]
    members["minimum"] = rule.minimum
    members["maximum"] = rule.maximum
    members["oneOf"] = rule.oneOf.map { .array($0) }
    members["pattern"] = (rule.pattern?.text).map { .string($0) }
    if !constraint.contact.isEmpty { members["contact"] = .string(constraint.contact) }
    var json = JSONWriter()
    json.exactValue(.dictionary(members))
    return unsafe CText.give(json.text, to: allowed) ? MDEFAULTS_OK : MDEFAULTS_NO_MEMORY
}
