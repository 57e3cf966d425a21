extension Unicode.Scalar {
    /// Whether the character shows nothing, or changes how its neighbours are shown.
    ///
    /// Controls, bidirectional controls, zero-width characters, tags, separators of lines and paragraphs, fillers and the
    /// variation selectors beyond the sixteen that choose the look of symbols: any text can be hidden in those.
    var isHidden: Bool {
        switch value {
        // Most texts have no other characters.
        case 0x20..<0x7f, 0xa0..<0xad, 0xae..<0x300: return false
        case 0xe_0100...0xe_01ef: return true
        default: break
        }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
        }
    }
}
