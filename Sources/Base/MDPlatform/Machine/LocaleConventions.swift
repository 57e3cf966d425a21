import Glibc

/// How a language and its country write dates, times, numbers and money, according to the C library's locale.
package struct LocaleConventions: Sendable, Equatable {
    /// The names of the days, Sunday first.
    package var weekdays: [String] = []
    /// The short names of the days, Sunday first.
    package var shortWeekdays: [String] = []
    /// The names of the months.
    package var months: [String] = []
    /// The short names of the months.
    package var shortMonths: [String] = []
    /// The markers of the hours before and after noon; empty if the language uses the 24-hour clock.
    package var halvesOfDay: [String] = []
    /// Date and time, in the format of strftime(3).
    package var dateAndTime = ""
    /// A date, in the format of strftime(3).
    package var date = ""
    /// A time, in the format of strftime(3).
    package var time = ""
    /// A time of the twelve-hour clock, in the format of strftime(3); may be empty.
    package var twelveHourTime = ""
    /// The separator of whole and decimal part.
    package var decimalSeparator = ""
    /// The separator of groups of three digits; may be empty.
    package var thousandsSeparator = ""
    /// The ten digits that the language writes.
    package var digits: [String] = []
    /// The currency's symbol, such as `€`; empty if there is none.
    package var currencySymbol = ""
    /// The currency's code of three letters, such as `EUR`; empty if there is none.
    package var currencyCode = ""
    /// Whether the currency's symbol precedes the amount.
    package var currencyComesFirst = false
    /// Whether a blank separates the currency's symbol from the amount.
    package var currencyIsApart = false

    /// Creates empty conventions.
    package init() {}
}

extension LocaleConventions {
    /// Loads the first installed locale of some names.
    ///
    /// Files are opened in the C library's own folders only: a name with anything but letters, digits and `_-.@` is
    /// refused, and with `LOCPATH` set, which would have the C library read files of the user's choice, no locale
    /// counts as installed. Thread-safe; the process's own locale does not change.
    ///
    /// - Parameter names: names of locales with UTF-8 text, such as `de_CH.UTF-8`.
    /// - Returns: the conventions; `nil` if none of the names is installed.
    package static func installed(_ names: [String]) -> LocaleConventions? {
        // The string that getenv returns is not read.
        guard unsafe getenv("LOCPATH") == nil else { return nil }
        return firstLoaded(names)
    }

    /// Loads the first locale of some names, from any folder that the C library searches.
    static func firstLoaded(_ names: [String]) -> LocaleConventions? {
        for name in names {
            if let conventions = load(name) { return conventions }
        }
        return nil
    }

    /// The most characters of a locale's name.
    private static let longestName = 64

    /// Whether a name can be that of a locale: neither a path nor the name of the environment's locale.
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

    /// Loads one locale, copies its conventions and frees it.
    private static func load(_ name: String) -> LocaleConventions? {
        guard isName(name) else { return nil }
        let mask = LC_CTYPE_MASK | LC_TIME_MASK | LC_NUMERIC_MASK | LC_MONETARY_MASK
        // A new locale object that no other thread uses; it is freed after everything was copied.
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

/// The entries of a loaded locale; safe because its creator keeps the locale loaded.
@safe private struct LocaleTexts {
    /// The locale, which outlives this value.
    private let locale: locale_t

    /// Wraps a locale that the caller keeps loaded.
    init(locale: locale_t) {
        unsafe self.locale = unsafe locale
    }

    /// An entry as text without the blanks around it; empty if it is not UTF-8.
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
