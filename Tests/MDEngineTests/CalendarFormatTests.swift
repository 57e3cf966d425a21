import MDPlatform
import Testing

@testable import MDEngine

/// Formats as the C library's locales have them.
struct CalendarFormatTests {
    /// A format in a locale whose own formats are simple.
    private func format(_ text: String) -> CalendarFormat {
        var conventions = LocaleConventions()
        conventions.date = "%e.%m.%Y"
        conventions.time = "%k:%M:%S"
        return CalendarFormat(text, in: conventions)
    }

    @Test(
        arguments: [
            ("%a %d %b %Y %r %Z", "%a %d %b %Y %I:%M:%S %p %Z"), ("%x (%a) %X", "%e.%m.%Y (%a) %H:%M:%S"),
            ("%Oy/%Om/%-d", "%y/%m/%d"), ("%D %F %R %h%n%t%%", "%m/%d/%y %Y-%m-%d %H:%M %b  %%"),
            ("%q%V%s%", ""), ("%-5d%EY", "%d%Y"), ("", ""),
        ])
    func `conversions are those of NSCalendarDate`(_ text: String, _ expected: String) {
        #expect(format(text).text == expected)
    }

    @Test(
        arguments: [
            ("%a %d %b %Y %T %Z", "%A %d %B %Y"), ("%Y年%m月%d日 %H時%M分%S秒", "%Y年%m月%d日"),
            ("%a %b %e %H:%M:%S %Y", "%A %B %e %Y"), ("%A, %d. %B %Y. %T %Z", "%A, %d. %B %Y."),
            ("%Y. %b. %-e., %A, %H:%M:%S %Z", "%Y. %B. %e., %A"), ("%d %b, %Y %I:%M:%S %p", "%d %B, %Y"),
            ("%H:%M:%S, %a %d %b %Y", "%A %d %B %Y"), ("%x (%a) %X", "%e.%m.%Y (%A)"), ("%d %H %m %M %Y", nil),
            ("%T", nil), ("", nil), ("%d/%m", "%d/%m"),
        ])
    func `a date alone`(_ text: String, _ expected: String?) {
        #expect(format(text).dateAlone?.withFullNames.text == expected)
    }

    @Test(
        arguments: [
            ("%T", "%H:%M"), ("%I:%M:%S %p", "%I:%M %p"), ("%H時%M分%S秒", "%H時%M分"), ("%H.%M.%S", "%H.%M"),
            ("%H:%M", "%H:%M"), ("%S", ""),
        ])
    func `a time without seconds`(_ text: String, _ expected: String) {
        #expect(format(text).withoutSeconds.text == expected)
    }

    @Test(
        arguments: [
            ("%d.%m.%Y", "DMYH"), ("%m/%d/%y", "MDYH"), ("%F", "YMDH"), ("%a %e %B %Y", "DMYH"), ("%d %d %m", nil),
            ("%Y", nil),
        ])
    func `the order of a date's parts`(_ text: String, _ expected: String?) {
        #expect(format(text).ordering == expected)
    }

    @Test func `a format that stands for itself ends`() {
        var conventions = LocaleConventions()
        conventions.date = "%x%x%x"
        conventions.dateAndTime = "%c %c %d"
        #expect(CalendarFormat("%x", in: conventions).text.isEmpty)
        #expect(CalendarFormat("%c", in: conventions).text.utf8.count < 100)
        #expect(format(String(repeating: "%d", count: 100_000)).text.utf8.count == 256)
    }
}
