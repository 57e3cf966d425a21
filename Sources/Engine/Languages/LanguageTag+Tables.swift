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

    /// The country that a language without one belongs to, where its code is not the language's.
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
