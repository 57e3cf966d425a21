import MDPlatform
package import MDPropertyList

/// The domains of the user's languages: how each writes dates, times, numbers and money.
///
/// Values are those of the C library's locale of a language; the C locale counts as English, and for it no file is
/// opened. The keys are those of NSUserDefaults, as NSCalendarDate and NSNumberFormatter used them:
///
/// - `NSWeekDayNameArray`, `NSShortWeekDayNameArray` (Sunday first), `NSMonthNameArray`, `NSShortMonthNameArray`,
///   `NSAMPMDesignation`: arrays of strings;
/// - `NSTimeFormatString`, `NSDateFormatString`, `NSShortDateFormatString`, `NSTimeDateFormatString`,
///   `NSShortTimeDateFormatString`: formats of NSCalendarDate; `NSDateTimeOrdering`: `MDYH`, `DMYH` or `YMDH`;
/// - `NSDecimalSeparator`, `NSThousandsSeparator`, `NSDecimalDigits`, `NSCurrencySymbol`,
///   `NSInternationalCurrencyString`, `NSPositiveCurrencyFormatString`, `NSNegativeCurrencyFormatString`;
/// - for English only, because the C library lacks them: `NSHourNameDesignations`,
///   `NSYearMonthWeekDesignations`, `NSEarlierTimeDesignations`, `NSLaterTimeDesignations`, `NSThisDayDesignations`,
///   `NSNextDayDesignations`, `NSNextNextDayDesignations`, `NSPriorDayDesignations`.
///
/// A key that a language has no value for is left out, so the next language answers.
package enum LanguageDomains {
    /// The most languages that count.
    static let limit = 16

    /// The user's languages, the preferred one first.
    ///
    /// - Parameters:
    ///   - appleLanguages: what the search list has under `AppleLanguages`; if it is not an array with the name of a
    ///     language in it, the environment counts.
    ///   - environment: `LANGUAGE`, `LC_ALL`, `LC_MESSAGES` and `LANG`, which count in the C library's order.
    /// - Returns: at most 16 names, each once: those of `AppleLanguages` as they are written there, those of the
    ///   environment as tags (`de_CH.UTF-8` is `de-CH`). `en` alone if nothing names a language.
    package static func preferred(appleLanguages: Value?, environment: [String: String]) -> [String] {
        if case .array(let values)? = appleLanguages {
            let names = values.prefix(4 * limit).compactMap { value -> String? in
                guard case .string(let name) = value, LanguageTag(name) != nil else { return nil }
                return name
            }
            if !names.isEmpty { return distinct(names) }
        }
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "C"
        // As in the C library, LANGUAGE does not count in the C locale, whatever its encoding.
        let isC = locale == "C" || locale == "POSIX" || locale.hasPrefix("C.")
        var names = [locale]
        if !isC, let list = environment["LANGUAGE"], !list.isEmpty {
            names = list.split(separator: ":", maxSplits: 4 * limit).prefix(4 * limit).map(String.init)
        }
        let tags = names.compactMap { LanguageTag($0)?.name }
        return tags.isEmpty ? ["en"] : distinct(tags)
    }

    /// The domains of languages.
    ///
    /// Thread-safe; a language's locale is loaded once.
    ///
    /// - Parameter languages: names as ``preferred(appleLanguages:environment:)`` gives them.
    /// - Returns: layers of kind `language` in the same order, each domain named as the language; a language without an
    ///   installed locale has none.
    package static func layers(for languages: [String]) -> [SearchLayer] {
        distinct(languages).compactMap { name in
            guard let tag = LanguageTag(name), let values = values(of: tag) else { return nil }
            return SearchLayer(.language, domain: Key(name), values: values)
        }
    }

    /// Loaded locales by language, `nil` for one that has none.
    private static let loaded = Guarded<[LanguageTag: [Key: Value]?]>(resettable: [:])
    /// The most locales that are kept.
    private static let loadedLimit = 64

    /// The values of one language.
    private static func values(of tag: LanguageTag) -> [Key: Value]? {
        if tag.isPlainEnglish { return english }
        if let values = loaded.withLock({ $0[tag] }) { return values }
        var values = LocaleConventions.installed(tag.localeNames).map { self.values(of: $0) }
        // English of a country without a locale is English all the same.
        if values == nil, tag.language == "en" { values = english }
        loaded.withLock { loaded in
            if loaded.count >= loadedLimit { loaded = [:] }
            loaded[tag] = .some(values)
        }
        return values
    }

    /// The first of equal names, up to the limit.
    private static func distinct(_ names: [String]) -> [String] {
        var seen: Set<Key> = []
        var result: [String] = []
        for name in names where result.count < limit && seen.insert(Key(name)).inserted { result.append(name) }
        return result
    }
}

extension LanguageDomains {
    /// The values of a locale under the keys of NSUserDefaults.
    static func values(of conventions: LocaleConventions) -> [Key: Value] {
        let time = CalendarFormat(conventions.time, in: conventions)
        let shortDate = CalendarFormat(conventions.date, in: conventions)
        let dateAndTime = CalendarFormat(conventions.dateAndTime, in: conventions)
        let longDate = dateAndTime.dateAlone?.withFullNames ?? shortDate
        var result: [Key: Value] = [:]

        /// Adds a text that is not empty.
        func add(_ key: Key, _ text: String) {
            if !text.isEmpty { result[key] = .string(text) }
        }
        /// Adds a list whose texts are not empty.
        func add(_ key: Key, _ texts: [String]) {
            if !texts.isEmpty, texts.allSatisfy({ !$0.isEmpty }) { result[key] = .array(texts.map { .string($0) }) }
        }
        add("NSWeekDayNameArray", conventions.weekdays)
        add("NSShortWeekDayNameArray", conventions.shortWeekdays)
        add("NSMonthNameArray", conventions.months)
        add("NSShortMonthNameArray", conventions.shortMonths)
        add("NSAMPMDesignation", conventions.halvesOfDay)
        add("NSTimeFormatString", time.text)
        add("NSDateFormatString", longDate.text)
        add("NSShortDateFormatString", shortDate.text)
        add("NSTimeDateFormatString", longDate.text + " " + time.text)
        add("NSShortTimeDateFormatString", shortDate.text + " " + time.withoutSeconds.text)
        add("NSDateTimeOrdering", shortDate.ordering ?? "")
        add("NSDecimalSeparator", conventions.decimalSeparator)
        add("NSThousandsSeparator", conventions.thousandsSeparator)
        add("NSDecimalDigits", conventions.digits)
        add("NSCurrencySymbol", conventions.currencySymbol)
        add("NSInternationalCurrencyString", conventions.currencyCode)
        if !conventions.currencySymbol.isEmpty {
            let blank = conventions.currencyIsApart ? " " : ""
            // The digits and separators are the placeholders of NSNumberFormatter, the same in every language.
            let amount =
                conventions.currencyComesFirst
                ? conventions.currencySymbol + blank + "9,999.00" : "9,999.00" + blank + conventions.currencySymbol
            add("NSPositiveCurrencyFormatString", amount)
            add("NSNegativeCurrencyFormatString", "-" + amount)
        }
        return result
    }
}

extension LanguageDomains {
    /// The values for English: the C locale's names, the formats and words that NSUserDefaults documents as defaults,
    /// and the money of the United States.
    ///
    /// Spelt out rather than derived, because nearly every program makes them when it starts.
    static let english: [Key: Value] = [
        "NSWeekDayNameArray": words(
            "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"),
        "NSShortWeekDayNameArray": words("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"),
        "NSMonthNameArray": words(
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December"),
        "NSShortMonthNameArray": words(
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
        "NSAMPMDesignation": words("AM", "PM"),
        "NSTimeFormatString": .string("%I:%M:%S %p"), "NSDateFormatString": .string("%A, %B %e, %Y"),
        "NSShortDateFormatString": .string("%m/%d/%y"),
        "NSTimeDateFormatString": .string("%A, %B %e, %Y %I:%M:%S %p"),
        "NSShortTimeDateFormatString": .string("%m/%d/%y %I:%M %p"), "NSDateTimeOrdering": .string("MDYH"),
        "NSDecimalSeparator": .string("."), "NSThousandsSeparator": .string(","),
        "NSDecimalDigits": words("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
        "NSCurrencySymbol": .string("$"), "NSInternationalCurrencyString": .string("USD"),
        "NSPositiveCurrencyFormatString": .string("$9,999.00"),
        "NSNegativeCurrencyFormatString": .string("-$9,999.00"),
        "NSEarlierTimeDesignations": words("prior", "last", "past", "ago"), "NSLaterTimeDesignations": words("next"),
        "NSThisDayDesignations": words("today", "now"), "NSNextDayDesignations": words("tomorrow"),
        "NSNextNextDayDesignations": words("nextday"), "NSPriorDayDesignations": words("yesterday"),
        "NSYearMonthWeekDesignations": words("year", "month", "week"),
        "NSHourNameDesignations": .array([
            words("0", "midnight"), words("10", "morning"), words("12", "noon", "lunch"), words("14", "afternoon"),
            words("19", "dinner"),
        ]),
    ]

    /// A list of words.
    private static func words(_ words: String...) -> Value { .array(words.map { .string($0) }) }
}
