/// How a language and its country write dates, times, numbers and money, as the C library's locale of it says.
package struct LocaleConventions: Sendable, Equatable {
    /// The names of the days, Sunday first.
    package var weekdays: [String] = []
    /// The short names of the days, Sunday first.
    package var shortWeekdays: [String] = []
    /// The names of the months.
    package var months: [String] = []
    /// The short names of the months.
    package var shortMonths: [String] = []
    /// What stands for the hours before and from noon; empty where the language counts to 24.
    package var halvesOfDay: [String] = []
    /// Date and time, in the format of strftime(3).
    package var dateAndTime = ""
    /// A date, in the format of strftime(3).
    package var date = ""
    /// A time, in the format of strftime(3).
    package var time = ""
    /// A time of the twelve-hour clock, in the format of strftime(3); may be empty.
    package var twelveHourTime = ""
    /// What stands between whole and decimal part.
    package var decimalSeparator = ""
    /// What stands between groups of three digits; may be empty.
    package var thousandsSeparator = ""
    /// The ten digits that the language writes.
    package var digits: [String] = []
    /// The sign of the currency, such as `€`; empty where there is none.
    package var currencySymbol = ""
    /// The three letters of the currency, such as `EUR`; empty where there is none.
    package var currencyCode = ""
    /// Whether the sign of the currency stands before the amount.
    package var currencyComesFirst = false
    /// Whether a blank stands between the sign of the currency and the amount.
    package var currencyIsApart = false

    /// Makes conventions that say nothing yet.
    package init() {}
}
