// The functions have the names of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import MDCInterface
import MDEngine
import MDPropertyList

/// The seconds between 1970-01-01, from which C counts, and 2001-01-01, from which property lists count.
let epochDistance = 978_307_200.0

/// The value of a key, or the status of a call that has none.
private func value(_ handle: OpaquePointer?, _ key: UnsafePointer<CChar>?) -> (Value?, mdefaults_status) {
    guard let (defaults, key) = unsafe OpenDefaults.find(handle, key) else { return (nil, MDEFAULTS_BAD_ARGUMENT) }
    guard let value = defaults.engine.cell.value(key.string) else { return (nil, MDEFAULTS_NO_VALUE) }
    return (value, MDEFAULTS_OK)
}

/// Stores a converted value.
///
/// - Parameters:
///   - handle: the handle of C.
///   - key: the key of C.
///   - place: where C wants the value.
///   - convert: converts it; `nil` for a value of a type that has no such form.
/// - Returns: the status for C.
private func give<Result>(
    _ handle: OpaquePointer?, _ key: UnsafePointer<CChar>?, to place: UnsafeMutablePointer<Result>?,
    _ convert: (Value) -> Result?
) -> mdefaults_status {
    let (found, status) = unsafe value(handle, key)
    guard let place = unsafe place else { return MDEFAULTS_BAD_ARGUMENT }
    guard let found else { return status }
    guard let result = convert(found) else { return MDEFAULTS_WRONG_TYPE }
    unsafe place.pointee = result
    return MDEFAULTS_OK
}

/// Every key that has a value.
@c @implementation
public func mdefaults_keys(
    _ defaults: OpaquePointer?, _ keys: UnsafeMutablePointer<UnsafeMutablePointer<UnsafePointer<CChar>?>?>?,
    _ count: UnsafeMutablePointer<Int>?
) -> mdefaults_status {
    unsafe keys?.pointee = nil
    guard let defaults = unsafe OpenDefaults.handles.object(defaults), let keys = unsafe keys else {
        return MDEFAULTS_BAD_ARGUMENT
    }
    let texts = defaults.engine.union.keys.sorted().map(\.string).filter { !$0.utf8.contains(0) }
    let size = unsafe MemoryLayout<UnsafePointer<CChar>?>.stride * (texts.count + 1)
    guard let (memory, places) = unsafe CText.block(size, texts) else { return MDEFAULTS_NO_MEMORY }
    // The head has room for a pointer to each text, and for NULL.
    let array = unsafe memory.bindMemory(to: UnsafePointer<CChar>?.self, capacity: texts.count + 1)
    for index in texts.indices { unsafe (array + index).initialize(to: places[index]) }
    unsafe (array + texts.count).initialize(to: nil)
    unsafe keys.pointee = array
    unsafe count?.pointee = texts.count
    return MDEFAULTS_OK
}

/// The type of a value.
@c @implementation
public func mdefaults_get_type(_ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?) -> mdefaults_type {
    switch unsafe value(defaults, key).0 {
    case nil: MDEFAULTS_NONE
    case .string: MDEFAULTS_STRING
    case .boolean: MDEFAULTS_BOOLEAN
    case .integer: MDEFAULTS_INTEGER
    case .real: MDEFAULTS_REAL
    case .date: MDEFAULTS_DATE
    case .data: MDEFAULTS_DATA
    case .array: MDEFAULTS_ARRAY
    case .dictionary: MDEFAULTS_DICTIONARY
    }
}

/// A truth value.
@c @implementation
public func mdefaults_get_bool(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ result: UnsafeMutablePointer<Bool>?
) -> mdefaults_status {
    unsafe give(defaults, key, to: result) { $0.truth }
}

/// A whole number.
@c @implementation
public func mdefaults_get_integer(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ result: UnsafeMutablePointer<Int64>?
) -> mdefaults_status {
    unsafe give(defaults, key, to: result) { $0.number.map { Int64($0.integerValue) } }
}

/// A floating-point number.
@c @implementation
public func mdefaults_get_real(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ result: UnsafeMutablePointer<Double>?
) -> mdefaults_status {
    unsafe give(defaults, key, to: result) { $0.number?.doubleValue }
}

/// A point in time.
@c @implementation
public func mdefaults_get_date(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ result: UnsafeMutablePointer<Double>?
) -> mdefaults_status {
    unsafe give(defaults, key, to: result) { value in
        if case .date(let seconds) = value { seconds + epochDistance } else { nil }
    }
}

/// A text.
@c @implementation
public func mdefaults_get_string(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ length: UnsafeMutablePointer<Int>?
) -> mdefaults_status {
    unsafe CText.clear(result)
    let (found, status) = unsafe value(defaults, key)
    guard unsafe result != nil else { return MDEFAULTS_BAD_ARGUMENT }
    guard let found else { return status }
    guard let text = found.stringValue else { return MDEFAULTS_WRONG_TYPE }
    guard unsafe CText.give(text, to: result) else { return MDEFAULTS_NO_MEMORY }
    unsafe length?.pointee = text.utf8.count
    return MDEFAULTS_OK
}

/// Bytes.
@c @implementation
public func mdefaults_get_data(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, _ length: UnsafeMutablePointer<Int>?
) -> mdefaults_status {
    unsafe result?.pointee = nil
    let (found, status) = unsafe value(defaults, key)
    guard let result = unsafe result, let length = unsafe length else { return MDEFAULTS_BAD_ARGUMENT }
    guard let found else { return status }
    guard case .data(let bytes) = found else { return MDEFAULTS_WRONG_TYPE }
    guard let copy = unsafe CText.copy(bytes) else { return MDEFAULTS_NO_MEMORY }
    unsafe result.pointee = copy.assumingMemoryBound(to: UInt8.self)
    unsafe length.pointee = bytes.count
    return MDEFAULTS_OK
}

/// Any value as JSON.
@c @implementation
public func mdefaults_get_json(
    _ defaults: OpaquePointer?, _ key: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> mdefaults_status {
    unsafe CText.clear(result)
    let (found, status) = unsafe value(defaults, key)
    guard unsafe result != nil else { return MDEFAULTS_BAD_ARGUMENT }
    guard let found else { return status }
    var json = JSONWriter()
    json.exactValue(found)
    return unsafe CText.give(json.text, to: result) ? MDEFAULTS_OK : MDEFAULTS_NO_MEMORY
}
