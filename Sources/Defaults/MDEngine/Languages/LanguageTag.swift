/// A language as users and environments name it, taken apart: `de`, `de-CH`, `zh-Hant-TW`, `sr_RS.UTF-8@latin`,
/// `German`.
struct LanguageTag: Hashable, Sendable {
    /// The language in two or three lower-case letters (ISO 639).
    let language: String
    /// The script in four letters (ISO 15924), if one is named.
    let script: String?
    /// The country in two upper-case letters or three digits (ISO 3166, UN M.49), if one is named.
    let region: String?

    /// The most bytes of a name.
    private static let longestName = 64

    /// Takes a name apart.
    ///
    /// Anything else than these three gives `nil`.
    ///
    /// - Parameter name: a tag of BCP 47 (variants and extensions are passed over), a locale of the C library, or the
    ///   English name of a language as OpenStep used it.
    init?(_ name: String) {
        guard (1...LanguageTag.longestName).contains(name.utf8.count), name.utf8.allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        // Tags and locales begin with a small letter; for them no dictionary is made.
        if let first = name.utf8.first, first < UInt8(ascii: "a"), let tag = LanguageTag.englishNames[name] {
            (language, script, region) = (tag.0, tag.1, nil)
            return
        }
        let halves = name.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let locale = halves.first?.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).first
        else { return nil }
        let parts = locale.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
        if parts.count == 1, locale == "C" || locale == "POSIX" {
            (language, script, region) = ("en", nil, nil)
            return
        }
        guard let first = parts.first, (2...3).contains(first.utf8.count), first.allSatisfy(\.isLetter) else {
            return nil
        }
        var script: String?
        var region: String?
        for part in parts.dropFirst() {
            guard (1...8).contains(part.utf8.count), part.allSatisfy({ $0.isLetter || $0.isNumber }) else { return nil }
            // A single letter begins extensions, behind which nothing speaks of script or country.
            if part.utf8.count == 1 { break }
            if script == nil, region == nil, part.utf8.count == 4, part.allSatisfy(\.isLetter) {
                script = part.prefix(1).uppercased() + part.dropFirst().lowercased()
            } else if region == nil, part.utf8.count == 2, part.allSatisfy(\.isLetter) {
                region = part.uppercased()
            } else if region == nil, part.utf8.count == 3, part.allSatisfy(\.isNumber) {
                region = String(part)
            }
        }
        let code = first.lowercased()
        language = LanguageTag.oldCodes[code] ?? code
        self.script = script ?? halves.dropFirst().first.flatMap { LanguageTag.scriptsOfModifiers[String($0)] }
        self.region = region
    }

    /// The tag in the form of BCP 47.
    var name: String {
        [language, script, region].compactMap { $0 }.joined(separator: "-")
    }

    /// Whether the C locale is used for it: English, without a country or of the United States.
    var isPlainEnglish: Bool {
        language == "en" && (region == nil || region == "US")
    }

    /// The locales of the C library that speak it, the closest first; those of the language's main country are last.
    var localeNames: [String] {
        var modifier = ""
        if let script, let special = LanguageTag.modifiersOfScripts["\(language)-\(script)"] {
            modifier = "@" + special
        }
        var main = LanguageTag.countries[language] ?? language.uppercased()
        if language == "zh", script == "Hant" { main = "TW" }
        if language == "pt", region == nil { main = "BR" }
        var names = [String]()
        if let region { names.append("\(language)_\(region).UTF-8\(modifier)") }
        if region != main { names.append("\(language)_\(main).UTF-8\(modifier)") }
        names.append("\(language).UTF-8\(modifier)")
        return names
    }
}

extension LanguageTag {
    /// The languages whose names OpenStep used, and their codes.
    static let englishNames: [String: (String, String?)] = [
        "Arabic": ("ar", nil), "Bulgarian": ("bg", nil), "Catalan": ("ca", nil), "Chinese": ("zh", nil),
        "Croatian": ("hr", nil), "Czech": ("cs", nil), "Danish": ("da", nil), "Dutch": ("nl", nil),
        "English": ("en", nil), "Esperanto": ("eo", nil), "Estonian": ("et", nil), "Finnish": ("fi", nil),
        "French": ("fr", nil), "German": ("de", nil), "Greek": ("el", nil), "Hebrew": ("he", nil),
        "Hungarian": ("hu", nil), "Icelandic": ("is", nil), "Indonesian": ("id", nil), "Irish": ("ga", nil),
        "Italian": ("it", nil), "Japanese": ("ja", nil), "Korean": ("ko", nil), "Latvian": ("lv", nil),
        "Lithuanian": ("lt", nil), "Norwegian": ("nb", nil), "Persian": ("fa", nil), "Polish": ("pl", nil),
        "Portuguese": ("pt", nil), "Romanian": ("ro", nil), "Russian": ("ru", nil), "Serbian": ("sr", nil),
        "SimplifiedChinese": ("zh", "Hans"), "Slovak": ("sk", nil), "Slovenian": ("sl", nil), "Spanish": ("es", nil),
        "Swedish": ("sv", nil), "Thai": ("th", nil), "TraditionalChinese": ("zh", "Hant"), "Turkish": ("tr", nil),
        "Ukrainian": ("uk", nil), "Vietnamese": ("vi", nil), "Welsh": ("cy", nil),
    ]

    /// Codes that ISO 639 has replaced.
    static let oldCodes = ["iw": "he", "in": "id", "ji": "yi", "no": "nb", "mo": "ro"]

    /// The country that a language without one belongs to, if its code is not the language's.
    static let countries = [
        "af": "ZA", "am": "ET", "ar": "EG", "as": "IN", "be": "BY", "bn": "BD", "bo": "CN", "br": "FR", "bs": "BA",
        "ca": "ES", "cs": "CZ", "cy": "GB", "da": "DK", "dz": "BT", "el": "GR", "en": "US", "et": "EE", "eu": "ES",
        "fa": "IR", "fil": "PH", "fy": "NL", "ga": "IE", "gd": "GB", "gl": "ES", "gu": "IN", "ha": "NG", "he": "IL",
        "hi": "IN", "hy": "AM", "ig": "NG", "ja": "JP", "ka": "GE", "kk": "KZ", "kl": "GL", "km": "KH", "kn": "IN",
        "ko": "KR", "ku": "TR", "ky": "KG", "lb": "LU", "lo": "LA", "mi": "NZ", "ml": "IN", "mn": "MN", "mr": "IN",
        "ms": "MY", "my": "MM", "nb": "NO", "ne": "NP", "nn": "NO", "oc": "FR", "or": "IN", "pa": "IN", "ps": "AF",
        "se": "NO", "si": "LK", "sl": "SI", "sq": "AL", "sr": "RS", "sv": "SE", "sw": "TZ", "ta": "IN", "te": "IN",
        "tg": "TJ", "ti": "ER", "tk": "TM", "uk": "UA", "ur": "PK", "uz": "UZ", "vi": "VN", "wa": "BE", "xh": "ZA",
        "yi": "US", "yo": "NG", "zh": "CN", "zu": "ZA",
    ]

    /// The modifier of the C library's locale for a language in a script that is not its usual one.
    static let modifiersOfScripts = [
        "be-Latn": "latin", "sr-Latn": "latin", "tt-Latn": "iqtelif", "uz-Cyrl": "cyrillic", "ks-Deva": "devanagari",
        "sd-Deva": "devanagari",
    ]

    /// The scripts that modifiers of the C library's locales mean.
    static let scriptsOfModifiers = [
        "latin": "Latn", "cyrillic": "Cyrl", "devanagari": "Deva", "iqtelif": "Latn",
    ]
}
