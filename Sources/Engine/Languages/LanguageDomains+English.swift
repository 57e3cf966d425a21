import PropertyList

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
