import MDPlatform
import MDPropertyList
import Testing

@testable import MDEngine

struct LanguageDomainsTests {
    @Test(
        arguments: [
            // AppleLanguages counts before the environment, as it is written there.
            (["de-CH", "fr"], ["LANG": "it_IT.UTF-8"], ["de-CH", "fr"]),
            (["German", "English", "German"], [:], ["German", "English"]),
            // What is not a name of a language is passed over.
            (["../../etc", "NSArgumentDomain", "", "de/../fr", "d\u{e9}", "pt-BR"], [:], ["pt-BR"]),
            (["/tmp/evil"], ["LANG": "sv_SE.UTF-8"], ["sv-SE"]),
            // The C library's order.
            (nil, ["LC_ALL": "fr_FR.UTF-8", "LC_MESSAGES": "de_DE", "LANG": "it_IT"], ["fr-FR"]),
            (nil, ["LC_ALL": "", "LC_MESSAGES": "de_DE", "LANG": "it_IT"], ["de-DE"]),
            (nil, ["LANG": "sr_RS.UTF-8@latin"], ["sr-Latn-RS"]),
            (nil, ["LANG": "de_CH.UTF-8", "LANGUAGE": "rm:de_CH:de:de"], ["rm", "de-CH", "de"]),
            (nil, ["LANG": "C.UTF-8", "LANGUAGE": "de"], ["en"]),
            (nil, ["LANG": "POSIX", "LANGUAGE": "de"], ["en"]),
            (nil, ["LANGUAGE": "de"], ["en"]),
            (nil, ["LANG": "/tmp/locale/de_DE"], ["en"]),
            (nil, [:], ["en"]),
        ] as [([String]?, [String: String], [String])])
    func `the languages of a user`(_ apple: [String]?, _ environment: [String: String], _ expected: [String]) {
        let value = apple.map { Value.array($0.map { .string($0) }) }
        #expect(LanguageDomains.preferred(appleLanguages: value, environment: environment) == expected)
    }

    @Test func `a foreign value of AppleLanguages does not count`() {
        for value: Value in [.string("de"), .array([]), .array([.integer(1)]), .dictionary(["de": .boolean(true)])] {
            #expect(LanguageDomains.preferred(appleLanguages: value, environment: [:]) == ["en"])
        }
    }

    @Test func `no list of languages is long`() {
        let letters = (UInt8(ascii: "a")...UInt8(ascii: "z")).map { String(UnicodeScalar($0)) }
        let many = letters.flatMap { first in letters.map { first + $0 } }
        let value = Value.array(many.map { .string($0) })
        #expect(LanguageDomains.preferred(appleLanguages: value, environment: [:]) == Array(many.prefix(16)))
        let list = ["LANG": "de_DE", "LANGUAGE": many.joined(separator: ":")]
        #expect(LanguageDomains.preferred(appleLanguages: nil, environment: list) == Array(many.prefix(16)))
        #expect(LanguageDomains.layers(for: Array(repeating: "en", count: 1000)).count == 1)
        let long = String(repeating: "a", count: 1 << 20)
        #expect(LanguageDomains.preferred(appleLanguages: .array([.string(long)]), environment: [:]) == ["en"])
    }

    @Test func `English has every key that NSUserDefaults documents`() throws {
        let layers = LanguageDomains.layers(for: ["English", "en", "en-US", "zz-ZZ"])
        #expect(layers.map(\.domain) == ["English", "en", "en-US"])
        #expect(layers.allSatisfy { $0.kind == .language })
        let values = try #require(layers.first?.values)
        #expect(
            Set(values.keys.map(\.string)) == [
                "NSWeekDayNameArray", "NSShortWeekDayNameArray", "NSMonthNameArray", "NSShortMonthNameArray",
                "NSTimeFormatString", "NSDateFormatString", "NSTimeDateFormatString", "NSShortTimeDateFormatString",
                "NSCurrencySymbol", "NSDecimalSeparator", "NSThousandsSeparator", "NSDecimalDigits",
                "NSAMPMDesignation", "NSHourNameDesignations", "NSYearMonthWeekDesignations",
                "NSEarlierTimeDesignations", "NSLaterTimeDesignations", "NSThisDayDesignations",
                "NSNextDayDesignations", "NSNextNextDayDesignations", "NSPriorDayDesignations", "NSDateTimeOrdering",
                "NSInternationalCurrencyString", "NSShortDateFormatString", "NSPositiveCurrencyFormatString",
                "NSNegativeCurrencyFormatString",
            ])
        #expect(values["NSDateFormatString"] == .string("%A, %B %e, %Y"))
        #expect(values["NSTimeDateFormatString"] == .string("%A, %B %e, %Y %I:%M:%S %p"))
        #expect(values["NSShortTimeDateFormatString"] == .string("%m/%d/%y %I:%M %p"))
        #expect(values["NSDateTimeOrdering"] == .string("MDYH"))
        #expect(values["NSPositiveCurrencyFormatString"] == .string("$9,999.00"))
        #expect(values["NSDecimalDigits"] == .array((0...9).map { .string("\($0)") }))
    }

    @Test(
        arguments: [
            ("de", ["de_DE.UTF-8", "de.UTF-8"]), ("de-CH", ["de_CH.UTF-8", "de_DE.UTF-8", "de.UTF-8"]),
            ("zh-Hant", ["zh_TW.UTF-8", "zh.UTF-8"]), ("zh-Hans", ["zh_CN.UTF-8", "zh.UTF-8"]),
            ("zh-Hant-HK", ["zh_HK.UTF-8", "zh_TW.UTF-8", "zh.UTF-8"]), ("sr-Cyrl", ["sr_RS.UTF-8", "sr.UTF-8"]),
            ("sr-Latn", ["sr_RS.UTF-8@latin", "sr.UTF-8@latin"]), ("pt", ["pt_BR.UTF-8", "pt.UTF-8"]),
            ("no", ["nb_NO.UTF-8", "nb.UTF-8"]), ("Japanese", ["ja_JP.UTF-8", "ja.UTF-8"]),
            ("EN_gb", ["en_GB.UTF-8", "en_US.UTF-8", "en.UTF-8"]),
            ("de-CH-1996-u-co-phonebk", ["de_CH.UTF-8", "de_DE.UTF-8", "de.UTF-8"]),
        ])
    func `the locales of a language`(_ name: String, _ expected: [String]) throws {
        #expect(try #require(LanguageTag(name)).localeNames == expected)
    }

    @Test func `the values of a locale under the keys of NSUserDefaults`() {
        var conventions = LocaleConventions()
        conventions.weekdays = ["Sonntag", "Montag"]
        conventions.dateAndTime = "%a %d %b %Y %T %Z"
        conventions.date = "%d.%m.%Y"
        conventions.time = "%T"
        conventions.decimalSeparator = ","
        conventions.currencySymbol = "€"
        conventions.currencyIsApart = true
        conventions.shortMonths = ["Jan", ""]
        #expect(
            LanguageDomains.values(of: conventions) == [
                "NSWeekDayNameArray": .array([.string("Sonntag"), .string("Montag")]),
                "NSDateFormatString": .string("%A %d %B %Y"), "NSShortDateFormatString": .string("%d.%m.%Y"),
                "NSTimeFormatString": .string("%H:%M:%S"),
                "NSTimeDateFormatString": .string("%A %d %B %Y %H:%M:%S"),
                "NSShortTimeDateFormatString": .string("%d.%m.%Y %H:%M"), "NSDateTimeOrdering": .string("DMYH"),
                "NSDecimalSeparator": .string(","), "NSCurrencySymbol": .string("€"),
                "NSPositiveCurrencyFormatString": .string("9,999.00 €"),
                "NSNegativeCurrencyFormatString": .string("-9,999.00 €"),
            ])
    }

    @Test func `what is spelt out for English is what its locale would give`() {
        var conventions = LocaleConventions()
        conventions.weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        conventions.dateAndTime = "%A, %B %e, %Y %I:%M:%S %p"
        conventions.date = "%D"
        conventions.time = "%r"
        conventions.decimalSeparator = "."
        conventions.thousandsSeparator = ","
        conventions.halvesOfDay = ["AM", "PM"]
        conventions.currencySymbol = "$"
        conventions.currencyCode = "USD"
        conventions.currencyComesFirst = true
        for (key, value) in LanguageDomains.values(of: conventions) {
            #expect(LanguageDomains.english[key] == value, "\(key)")
        }
    }
}
