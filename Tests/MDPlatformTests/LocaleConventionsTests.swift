import Foundation
import MDTestSupport
import Testing

@testable import MDPlatform

struct LocaleConventionsTests {
    /// The program that makes locales of their sources.
    static let localedef = "/usr/bin/localedef"
    /// Whether locales can be made.
    static let canMakeLocales =
        FileManager.default.isExecutableFile(atPath: localedef)
        && FileManager.default.fileExists(atPath: "/usr/share/i18n/locales/de_DE")

    @Test(
        .enabled(if: LocaleConventionsTests.canMakeLocales, "localedef or the sources of locales are not installed"))
    func `a locale is read, and LOCPATH is not followed`() async {
        await #expect(processExitsWith: .success) {
            let folder = Scratch.makeFolder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let name = "de_DE.UTF-8"
            // system(3) needs no thread; the words are constants and a process id.
            let command = "\(LocaleConventionsTests.localedef) -i de_DE -f UTF-8 '\(folder)/de_DE.utf8' 2>/dev/null"
            _ = system(command)
            setenv("LOCPATH", folder, 1)
            let german = try #require(LocaleConventions.firstLoaded(["xx_XX.UTF-8", name]))
            #expect(german.weekdays.first == "Sonntag" && german.weekdays.count == 7)
            #expect(german.months.last == "Dezember" && german.months.count == 12)
            #expect(german.shortMonths[2] == "Mär")
            #expect(german.halvesOfDay.isEmpty)
            #expect((german.decimalSeparator, german.thousandsSeparator) == (",", "."))
            #expect((german.currencySymbol, german.currencyCode) == ("€", "EUR"))
            #expect(!german.currencyComesFirst && german.currencyIsApart)
            #expect(german.digits == (0...9).map { "\($0)" })
            #expect(german.date == "%d.%m.%Y")
            // A question for the installed conventions does not read a user's own folder.
            #expect(LocaleConventions.installed([name]) == nil)
        }
    }

    @Test(arguments: ["", "..", "../de_DE", "/etc/de", "de_DE/", ".de", "de\u{0}", "d\u{e9}", "C\n"])
    func `what is no name of a locale is not asked for`(_ name: String) {
        #expect(!LocaleConventions.isName(name))
        #expect(LocaleConventions.firstLoaded([name]) == nil)
    }

    @Test func `the C locale of another encoding is not taken`() {
        #expect(LocaleConventions.firstLoaded(["C"]) == nil)
        #expect(LocaleConventions.firstLoaded([String(repeating: "a", count: 65)]) == nil)
    }
}
