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
}
