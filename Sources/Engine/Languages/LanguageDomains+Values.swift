import Platform
import PropertyList

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

    /// The values for English: the C locale's names, the formats and words that NSUserDefaults documents as defaults,
    /// and the money of the United States.
    static let english: [Key: Value] = {
        var conventions = LocaleConventions()
        conventions.weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        conventions.shortWeekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        conventions.months = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        conventions.shortMonths = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        conventions.halvesOfDay = ["AM", "PM"]
        conventions.dateAndTime = "%A, %B %e, %Y %I:%M:%S %p"
        conventions.date = "%m/%d/%y"
        conventions.time = "%I:%M:%S %p"
        conventions.decimalSeparator = "."
        conventions.thousandsSeparator = ","
        conventions.digits = (0...9).map { "\($0)" }
        conventions.currencySymbol = "$"
        conventions.currencyCode = "USD"
        conventions.currencyComesFirst = true
        /// A list of words.
        func words(_ words: String...) -> Value { .array(words.map { .string($0) }) }
        return values(of: conventions).merging([
            "NSEarlierTimeDesignations": words("prior", "last", "past", "ago"),
            "NSLaterTimeDesignations": words("next"), "NSThisDayDesignations": words("today", "now"),
            "NSNextDayDesignations": words("tomorrow"), "NSNextNextDayDesignations": words("nextday"),
            "NSPriorDayDesignations": words("yesterday"),
            "NSYearMonthWeekDesignations": words("year", "month", "week"),
            "NSHourNameDesignations": .array([
                words("0", "midnight"), words("10", "morning"), words("12", "noon", "lunch"),
                words("14", "afternoon"), words("19", "dinner"),
            ]),
        ]) { first, _ in first }
    }()
}
