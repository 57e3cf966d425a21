// The functions have the names of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import MDCInterface
import MDEngine
import MDPlatform
import MDPolicyCore
import MDPropertyList

/// Writes a key, and says why where the write is not in effect.
///
/// - Parameters:
///   - handle: the handle of C.
///   - key: the key of C.
///   - value: the value, or `nil` to remove the key.
///   - message: where C wants a sentence; may be missing.
/// - Returns: the outcome for C.
private func write(
    _ handle: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: Value?, _ message: TextPlace?
) -> mdefaults_outcome {
    unsafe CText.clear(message)
    guard let defaults = unsafe OpenDefaults.handles.object(handle) else {
        return unsafe refuse("The handle is closed, or was never one.", message)
    }
    guard let name = unsafe CText.string(key) else {
        return unsafe refuse("The key is missing, too long, or no text of UTF-8.", message)
    }
    if value != nil, name.isEmpty { return unsafe refuse("The key is empty, so nothing was stored.", message) }
    return unsafe tell(defaults.engine.write(value, forKey: Key(name)), in: defaults.engine.root, message)
}

/// Says what became of a write.
private func tell(_ outcome: DefaultsEngine.Outcome, in root: Root, _ message: TextPlace?) -> mdefaults_outcome {
    let (outcome, sentence): (mdefaults_outcome, String) =
        switch outcome {
        case .stored: (MDEFAULTS_STORED, "")
        case .unchanged: (MDEFAULTS_UNCHANGED, "")
        case .refused(let entry): (MDEFAULTS_REFUSED, entry.refusal(in: root))
        case .shadowed(let entry): (MDEFAULTS_SHADOWED, entry.refusal(in: root))
        case .clamped(_, let constraint): (MDEFAULTS_CLAMPED, constraint.refusal(in: root))
        case .outside(let constraint): (MDEFAULTS_DISALLOWED, constraint.refusal(in: root))
        case .impossible(_, let reason): (MDEFAULTS_UNAVAILABLE, reason)
        }
    if !sentence.isEmpty { _ = unsafe CText.give(sentence, to: message) }
    return outcome
}

/// Refuses a write whose arguments cannot be stored.
private func refuse(_ sentence: String, _ message: TextPlace?) -> mdefaults_outcome {
    _ = unsafe CText.give(sentence, to: message)
    return MDEFAULTS_INVALID
}

/// Stores a truth value.
@c @implementation
public func mdefaults_set_bool(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: Bool,
    _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> mdefaults_outcome {
    unsafe write(defaults, key, .boolean(value), message)
}

/// Stores a whole number.
@c @implementation
public func mdefaults_set_integer(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: Int64,
    _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> mdefaults_outcome {
    unsafe write(defaults, key, .integer(Integer(value)), message)
}

/// Stores a floating-point number.
@c @implementation
public func mdefaults_set_real(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: Double,
    _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> mdefaults_outcome {
    unsafe write(defaults, key, .real(value), message)
}

/// Stores a point in time.
@c @implementation
public func mdefaults_set_date(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: Double,
    _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> mdefaults_outcome {
    guard value.isFinite else { return unsafe refuse("A date is a finite number of seconds.", message) }
    return unsafe write(defaults, key, .date(value - epochDistance), message)
}

/// Stores a text.
@c @implementation
public func mdefaults_set_string(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?,
    _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> mdefaults_outcome {
    guard let text = unsafe CText.string(value, limit: CText.valueLimit) else {
        return unsafe refuse("The value is missing, too long, or no text of UTF-8.", message)
    }
    return unsafe write(defaults, key, .string(text), message)
}

/// Stores bytes.
@c @implementation
public func mdefaults_set_data(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: UnsafePointer<UInt8>?, _ length: Int,
    _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> mdefaults_outcome {
    // A length of C that does not fit into an Int is negative here.
    guard (0...CText.valueLimit).contains(length), unsafe value != nil || length == 0 else {
        return unsafe refuse("The bytes are missing or too many.", message)
    }
    // C promises that there are as many bytes as it says.
    let bytes = unsafe Array(UnsafeBufferPointer(start: value, count: unsafe value == nil ? 0 : length))
    return unsafe write(defaults, key, .data(bytes), message)
}

/// Reads a value that is written as JSON, or says why it is none.
private func parse(_ value: UnsafePointer<CChar>?, _ message: TextPlace?) -> Value? {
    guard let text = unsafe CText.string(value, limit: CText.valueLimit) else {
        _ = unsafe refuse("The value is missing, too long, or no text of UTF-8.", message)
        return nil
    }
    do throws(PropertyListError) {
        return try JSONReader.read(try SourceText(decoding: Array(text.utf8))).root.value
    } catch {
        _ = unsafe refuse("The value is no JSON: \(error.position): \(error.message).", message)
        return nil
    }
}

/// Stores a value that is written as JSON.
@c @implementation
public func mdefaults_set_json(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?,
    _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> mdefaults_outcome {
    unsafe CText.clear(message)
    guard let value = unsafe parse(value, message) else { return MDEFAULTS_INVALID }
    return unsafe write(defaults, key, value, message)
}

/// Stores a value in the place of the one that the caller saw.
@c @implementation
public func mdefaults_update_json(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ expected: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?, _ stored: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> mdefaults_outcome {
    unsafe CText.clear(stored)
    unsafe CText.clear(message)
    guard let (defaults, key) = unsafe OpenDefaults.find(defaults, key), !key.string.isEmpty else {
        return unsafe refuse("The handle is closed, or the key is missing, empty, too long, or no UTF-8.", message)
    }
    var (old, new): (Value?, Value?)
    if unsafe expected != nil {
        old = unsafe parse(expected, message)
        if old == nil { return MDEFAULTS_INVALID }
    }
    if unsafe value != nil {
        new = unsafe parse(value, message)
        if new == nil { return MDEFAULTS_INVALID }
    }
    var conflict: Value??
    let outcome = defaults.engine.update(key) { found in
        conflict = found.isIdentical(to: old) ? nil : .some(found)
        return conflict == nil ? .set(new) : .keep
    }
    guard let conflict else { return unsafe tell(outcome, in: defaults.engine.root, message) }
    if let found = conflict {
        var json = JSONWriter()
        json.exactValue(found)
        _ = unsafe CText.give(json.text, to: stored)
    }
    _ = unsafe CText.give("\(key) was not stored: another value is stored than was to be replaced.", to: message)
    return MDEFAULTS_CONFLICT
}

/// Adds default values.
@c @implementation
public func mdefaults_register_json(
    _ defaults: OpaquePointer?, _ values: UnsafePointer<CChar>?,
    _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> mdefaults_outcome {
    unsafe CText.clear(message)
    guard let defaults = unsafe OpenDefaults.handles.object(defaults) else {
        return unsafe refuse("The handle is closed, or was never one.", message)
    }
    guard let value = unsafe parse(values, message) else { return MDEFAULTS_INVALID }
    guard case .dictionary(let values) = value, values[""] == nil else {
        return unsafe refuse("Defaults are an object whose keys are not empty, so nothing was registered.", message)
    }
    defaults.engine.register(Array(values))
    return MDEFAULTS_STORED
}

/// Removes a key.
@c @implementation
public func mdefaults_remove(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?,
    _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> mdefaults_outcome {
    unsafe write(defaults, key, nil, message)
}
