import Platform
package import PropertyList

/// The domains of the user's languages: how each writes dates, times, numbers and money.
///
/// Values are those of the C library's locale of a language; the C locale stands for English, and for it no file is
/// opened. The keys are those of NSUserDefaults, as NSCalendarDate and NSNumberFormatter used them:
///
/// - `NSWeekDayNameArray`, `NSShortWeekDayNameArray` (Sunday first), `NSMonthNameArray`, `NSShortMonthNameArray`,
///   `NSAMPMDesignation`: arrays of strings;
/// - `NSTimeFormatString`, `NSDateFormatString`, `NSShortDateFormatString`, `NSTimeDateFormatString`,
///   `NSShortTimeDateFormatString`: formats of NSCalendarDate; `NSDateTimeOrdering`: `MDYH`, `DMYH` or `YMDH`;
/// - `NSDecimalSeparator`, `NSThousandsSeparator`, `NSDecimalDigits`, `NSCurrencySymbol`,
///   `NSInternationalCurrencyString`, `NSPositiveCurrencyFormatString`, `NSNegativeCurrencyFormatString`;
/// - for English only, because the C library does not know them: `NSHourNameDesignations`,
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
    ///   - appleLanguages: what the search list has under `AppleLanguages`; where it is no array with the name of a
    ///     language in it, the environment counts.
    ///   - environment: `LANGUAGE`, `LC_ALL`, `LC_MESSAGES` and `LANG`, which count in the C library's order.
    /// - Returns: at most 16 names, each once: those of `AppleLanguages` as they are written there, those of the
    ///   environment as tags (`de_CH.UTF-8` is `de-CH`). `en` alone where nothing names a language.
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
    private static let loaded = Guarded<[LanguageTag: [Key: Value]?]>([:])
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
