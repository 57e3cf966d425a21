import Policy
import PropertyList

extension ManagedDefaults.Setting where Value: BinaryInteger & FixedWidthInteger {
    /// The numbers that the administrator allows, for a slider or a stepper; all of the type's where there are no bounds.
    ///
    /// Where the bounds leave no whole number, only the value in effect.
    public var bounds: ClosedRange<Value> {
        let least = allowed?.constraint.minimum.map { ManagedDefaults.whole($0, .up) } ?? Value.min
        let greatest = allowed?.constraint.maximum.map { ManagedDefaults.whole($0, .down) } ?? Value.max
        return least <= greatest ? least...greatest : value...value
    }
}

extension ManagedDefaults.Setting where Value: BinaryFloatingPoint {
    /// The numbers that the administrator allows, for a slider; all of the type's where there are no bounds.
    public var bounds: ClosedRange<Value> {
        let least = allowed?.minimum.map { Value($0) } ?? -Value.greatestFiniteMagnitude
        let greatest = allowed?.maximum.map { Value($0) } ?? Value.greatestFiniteMagnitude
        return least <= greatest ? least...greatest : greatest...greatest
    }
}

extension ManagedDefaults.Setting {
    /// The values that the administrator lets the user choose from, for a menu; `nil` where there is no such list.
    ///
    /// Those that cannot be read as the setting's type are left out.
    public var choices: [Value]? {
        allowed?.constraint.oneOf?.compactMap { try? key.codec.decode($0, defaults) }
    }
}

extension ManagedDefaults {
    /// The nearest whole number of a type on one side of a bound.
    fileprivate static func whole<Number: FixedWidthInteger>(
        _ bound: PropertyList.Value, _ rule: FloatingPointRoundingRule
    ) -> Number {
        if case .integer(let number) = bound {
            if let number = number.int64 { return Number(clamping: number) }
            if let number = number.uint64 { return Number(clamping: number) }
        }
        let number = bound.doubleValue.rounded(rule)
        return Number(exactly: number) ?? (number < 0 ? Number.min : Number.max)
    }
}
