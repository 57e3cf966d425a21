import Glibc

extension LocaleConventions {
    /// What the first installed locale of some names says.
    ///
    /// Files are opened in the C library's own folders only: a name with anything but letters, digits and `_-.@` is none,
    /// and where `LOCPATH` is set, which would have the C library read files of the user's choice, no locale is taken for
    /// installed. Thread-safe; the process's own locale is not touched.
    ///
    /// - Parameter names: names of locales whose text is UTF-8, such as `de_CH.UTF-8`.
    /// - Returns: the conventions; `nil` where none of the names is installed.
    package static func installed(_ names: [String]) -> LocaleConventions? {
        // What getenv returns is not read.
        guard unsafe getenv("LOCPATH") == nil else { return nil }
        return firstLoaded(names)
    }

    /// What the first locale of some names says, wherever the C library finds it.
    static func firstLoaded(_ names: [String]) -> LocaleConventions? {
        for name in names {
            if let conventions = load(name) { return conventions }
        }
        return nil
    }

    /// The most characters of a locale's name.
    private static let longestName = 64

    /// Whether a name can be that of a locale, and of nothing else: no path, and not the one that means the environment.
    static func isName(_ name: String) -> Bool {
        guard (1...longestName).contains(name.utf8.count) else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "@"): true
            default: false
            }
        } && name.utf8.first != UInt8(ascii: ".")
    }

    /// Loads one locale, copies what it says and lets it go.
    private static func load(_ name: String) -> LocaleConventions? {
        guard isName(name) else { return nil }
        let mask = LC_CTYPE_MASK | LC_TIME_MASK | LC_NUMERIC_MASK | LC_MONETARY_MASK
        // A new locale of its own; no other thread knows it, and it is freed when everything was copied.
        guard let locale = unsafe newlocale(mask, name, nil) else { return nil }
        defer { unsafe freelocale(locale) }
        let texts = unsafe LocaleTexts(locale: locale)
        guard texts.text(CODESET) == "UTF-8" else { return nil }
        let halves = [texts.text(AM_STR), texts.text(PM_STR)]
        var result = LocaleConventions()
        result.weekdays = texts.texts(DAY_1, 7)
        result.shortWeekdays = texts.texts(ABDAY_1, 7)
        result.months = texts.texts(MON_1, 12)
        result.shortMonths = texts.texts(ABMON_1, 12)
        result.halvesOfDay = halves.allSatisfy { !$0.isEmpty } ? halves : []
        result.dateAndTime = texts.text(D_T_FMT)
        result.date = texts.text(D_FMT)
        result.time = texts.text(T_FMT)
        result.twelveHourTime = texts.text(T_FMT_AMPM)
        result.decimalSeparator = texts.text(RADIXCHAR)
        result.thousandsSeparator = texts.text(THOUSEP)
        result.digits = texts.texts(_NL_CTYPE_OUTDIGIT0_MB, 10)
        result.currencySymbol = texts.text(__CURRENCY_SYMBOL)
        result.currencyCode = texts.text(__INT_CURR_SYMBOL)
        result.currencyComesFirst = texts.byte(__P_CS_PRECEDES) == 1
        result.currencyIsApart = texts.byte(__P_SEP_BY_SPACE) == 1
        return result
    }
}

/// The entries of a loaded locale; safe because whoever makes one keeps the locale loaded.
@safe private struct LocaleTexts {
    /// The locale, which outlives this value.
    private let locale: locale_t

    /// Asks a locale that the caller keeps loaded.
    init(locale: locale_t) {
        unsafe self.locale = unsafe locale
    }

    /// An entry as text without the blanks around it; empty where it is no UTF-8.
    func text(_ item: some BinaryInteger) -> String {
        // The C library returns a text that ends with 0 and lives as long as the locale; it is copied at once.
        guard let start = unsafe nl_langinfo_l(nl_item(truncatingIfNeeded: item), locale),
            let text = unsafe String(validatingCString: start)
        else { return "" }
        let blank = UInt8(ascii: " ")
        guard let first = text.utf8.firstIndex(where: { $0 != blank }),
            let last = text.utf8.lastIndex(where: { $0 != blank })
        else { return text }
        return String(text[first...last])
    }

    /// Consecutive entries as texts.
    func texts(_ item: some BinaryInteger, _ count: Int) -> [String] {
        (0..<count).map { text(Int(item) + $0) }
    }

    /// An entry that is a number of one byte.
    func byte(_ item: some BinaryInteger) -> UInt8? {
        // As above; such an entry has one byte, whatever it is.
        guard let start = unsafe nl_langinfo_l(nl_item(truncatingIfNeeded: item), locale) else { return nil }
        return unsafe UInt8(bitPattern: start.pointee)
    }
}
