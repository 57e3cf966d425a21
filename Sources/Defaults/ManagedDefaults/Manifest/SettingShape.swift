import FoundationEssentials
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// What a setting's type and default say of its stored values, for a manifest.
struct SettingShape {
    /// The type of the stored values; `nil` if it is unknown.
    var type: ManifestType?
    /// The least stored value.
    var minimum: Value?
    /// The greatest stored value.
    var maximum: Value?
    /// The only stored values.
    var choices: [Value]?
    /// The stored default.
    var defaultValue: Value?
    /// The elements of an array, or the entries of a dictionary.
    var subkeys: [ManifestKey] = []

    /// A shape of which only the type is known.
    private init(_ type: ManifestType?) { self.type = type }

    /// Finds the shape of a type.
    private init(of type: Any.Type) {
        switch type {
        case let type as any OptionalValue.Type: self.init(of: type.wrappedType)
        case is Bool.Type: self.init(.boolean)
        case let type as any IntegerValue.Type: self.init(ofInteger: type)
        case is Double.Type, is Float.Type: self.init(.real)
        case is String.Type: self.init(.string)
        case is URL.Type: self.init(.url)
        case is Date.Type: self.init(.date)
        case is Data.Type: self.init(.data)
        case let type as any ListType.Type: self.init(.array, of: type.elementType, named: "")
        case let type as any TextDictionaryType.Type: self.init(.dictionary, of: type.valueType, named: "{{value}}")
        case let type as any RawRepresentable.Type: self.init(of: SettingShape.rawType(of: type))
        default: self.init(nil)
        }
    }

    /// The shape of an integer: its limits, but for `Int`, which takes the nearest number, and for the ends of what
    /// property lists hold.
    private init<Number: IntegerValue>(ofInteger number: Number.Type) {
        type = .integer
        guard number != Int.self else { return }
        minimum = Int64(exactly: Number.min) == .min ? nil : Number.min.storedValue
        maximum = UInt64(exactly: Number.max) == .max ? nil : Number.max.storedValue
    }

    /// The shape of a container of one type.
    private init(_ type: ManifestType, of element: Any.Type, named name: Key) {
        self.type = type
        let shape = SettingShape(of: element)
        guard shape.type != nil else { return }
        subkeys = [
            ManifestKey(
                name: name, type: shape.type, minimum: shape.minimum, maximum: shape.maximum, subkeys: shape.subkeys)
        ]
    }

    /// The shape of a stored value; its entries are described, and others are allowed beside them.
    private init(of value: Value) {
        type = ManifestType(of: value)
        guard case .dictionary(let entries) = value else { return }
        subkeys = entries.sorted { $0.key < $1.key }.map { key, value in
            let shape = SettingShape(of: value)
            return ManifestKey(name: key, type: shape.type, subkeys: shape.subkeys)
        }
    }

    /// Finds the shape of a setting.
    ///
    /// What is stored counts more than the type, because a codec may store anything.
    init(of type: Any.Type, minimum: Value?, maximum: Value?, choices: [Value]?, default defaultValue: Value?) {
        self.init(of: type)
        if let sample = defaultValue ?? minimum ?? maximum ?? choices?.first, self.type?.fits(sample) != true {
            self = SettingShape(of: sample)
        }
        if let choices {
            (self.minimum, self.maximum, self.choices) = (nil, nil, choices)
        }
        if let minimum { self.minimum = minimum }
        if let maximum { self.maximum = maximum }
        self.defaultValue = defaultValue
    }

    /// What does not fit together, as a clause; `nil` if all does.
    var mistake: String? {
        if let type, type == .array || type == .dictionary {
            return minimum == nil && maximum == nil && choices == nil
                ? nil : "limits and choices are for values without parts"
        }
        let others = [minimum, maximum].compactMap { $0 } + (choices ?? [])
        if let type, !others.allSatisfy(type.fits) { return "a limit or a choice is of another type" }
        // Constraints have no limits for dates.
        guard type != .date else { return nil }
        let constraint = Constraint(minimum: minimum, maximum: maximum, oneOf: choices)
        if let contradiction = constraint.contradiction { return contradiction }
        guard let defaultValue, constraint.verdict(on: defaultValue) != .allowed else { return nil }
        return "the default is not an allowed value"
    }

    /// The cases of an enumeration that lists them; `nil` for other types.
    static func cases<Setting>(of type: Setting.Type) -> [Setting]? {
        /// The cases of a type.
        func all<Cases: CaseIterable>(_ type: Cases.Type) -> [Setting] { type.allCases.compactMap { $0 as? Setting } }
        let wrapped = (type as? any OptionalValue.Type)?.wrappedType ?? type
        guard wrapped is any RawRepresentable.Type, let listed = wrapped as? any CaseIterable.Type else { return nil }
        return all(listed)
    }

    /// The type of raw values.
    private static func rawType<Raw: RawRepresentable>(of type: Raw.Type) -> Any.Type { Raw.RawValue.self }
}

/// An array.
private protocol ListType {
    /// The type of its elements.
    static var elementType: Any.Type { get }
}

extension Array: ListType {
    fileprivate static var elementType: Any.Type { Element.self }
}

/// A dictionary whose keys are those of a property list.
private protocol TextDictionaryType {
    /// The type of its values.
    static var valueType: Any.Type { get }
}

extension Dictionary: TextDictionaryType where Key == String {
    fileprivate static var valueType: Any.Type { Value.self }
}
