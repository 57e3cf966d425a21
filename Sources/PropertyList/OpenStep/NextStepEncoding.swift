/// The character set of NextStep, in which octal escapes of OpenStep text count.
enum NextStepEncoding {
    /// The character of a code, or `nil` for the two codes without one.
    static func scalar(_ byte: UInt8) -> Unicode.Scalar? {
        guard byte >= 0x80 else { return Unicode.Scalar(byte) }
        let index = Int(byte) - 0x80
        return index < upperHalf.count ? upperHalf[index] : nil
    }

    /// The characters from 0x80 to 0xfd (Unicode's vendor mapping NEXTSTEP.TXT).
    private static let upperHalf: [Unicode.Scalar] = [
        "\u{a0}", "À", "Á", "Â", "Ã", "Ä", "Å", "Ç", "È", "É", "Ê", "Ë", "Ì", "Í", "Î", "Ï",
        "Ð", "Ñ", "Ò", "Ó", "Ô", "Õ", "Ö", "Ù", "Ú", "Û", "Ü", "Ý", "Þ", "\u{b5}", "×", "÷",
        "©", "¡", "¢", "£", "\u{2044}", "¥", "ƒ", "§", "¤", "\u{2019}", "\u{201c}", "«", "‹", "›", "\u{fb01}",
        "\u{fb02}",
        "®", "\u{2013}", "†", "‡", "\u{b7}", "¦", "¶", "•", "\u{201a}", "\u{201e}", "\u{201d}", "»", "…", "‰", "¬", "¿",
        "¹", "\u{2cb}", "\u{b4}", "\u{2c6}", "\u{2dc}", "\u{af}", "\u{2d8}", "\u{2d9}", "\u{a8}", "²", "\u{2da}",
        "\u{b8}", "³", "\u{2dd}", "\u{2db}", "\u{2c7}",
        "\u{2014}", "±", "¼", "½", "¾", "à", "á", "â", "ã", "ä", "å", "ç", "è", "é", "ê", "ë",
        "ì", "Æ", "í", "ª", "î", "ï", "ð", "ñ", "Ł", "Ø", "Œ", "º", "ò", "ó", "ô", "õ",
        "ö", "æ", "ù", "ú", "û", "ı", "ü", "ý", "ł", "ø", "œ", "ß", "þ", "ÿ",
    ]
}
