// The functions have the names of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Glibc
public import MDCInterface
import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// Whether an administrator decides the value of a key.
@c @implementation
public func mdefaults_is_forced(_ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?) -> Bool {
    guard let (defaults, key) = unsafe OpenDefaults.find(defaults, key) else { return true }
    return defaults.engine.cell.isForced(key.string)
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
    guard let block = unsafe entryBlock(texts, line: found.origin.position.line) else { return MDEFAULTS_NO_MEMORY }
    unsafe entry.pointee = block
    return MDEFAULTS_OK
}

/// Makes an entry and its texts in one block of memory, so that C frees all of it at once.
private func entryBlock(_ texts: [String], line: Int) -> UnsafeMutablePointer<mdefaults_entry>? {
    let head = unsafe MemoryLayout<mdefaults_entry>.size
    let size = texts.reduce(head) { $0 + $1.utf8.count + 1 }
    // Memory of `malloc` is aligned for every type.
    guard let memory = unsafe malloc(size) else { return nil }
    var offset = head
    var places: [UnsafePointer<CChar>] = unsafe []
    for text in texts {
        let bytes = Array(text.utf8) + [0]
        // The block has room for every text and its NUL behind the head.
        let place = unsafe memory + offset
        unsafe bytes.withUnsafeBytes { source in
            if let base = source.baseAddress { unsafe place.copyMemory(from: base, byteCount: source.count) }
        }
        unsafe places.append(UnsafePointer(place.assumingMemoryBound(to: CChar.self)))
        offset += bytes.count
    }
    let entry = unsafe memory.bindMemory(to: mdefaults_entry.self, capacity: 1)
    unsafe entry.initialize(
        to: mdefaults_entry(
            domain: places[0], key: places[1], policy: places[2], title: places[3], summary: places[4],
            contact: places[5], file: places[6], message: places[7], line: Int64(line)))
    return unsafe entry
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
