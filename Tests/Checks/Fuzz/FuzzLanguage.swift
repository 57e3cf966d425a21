@testable import MDEngine
@testable import MDPlatform

/// Feeds what takes names of languages apart, and formats of strftime(3).
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    if let tag = LanguageTag(text) {
        guard LanguageTag(tag.name) == tag else { fatalError("\(tag) is not what its name says") }
    }
    let names = LanguageDomains.preferred(appleLanguages: nil, environment: ["LANG": "de_CH.UTF-8", "LANGUAGE": text])
    guard !names.isEmpty, names.count <= LanguageDomains.limit, names.allSatisfy({ LanguageTag($0) != nil }) else {
        fatalError("\(names)")
    }
    var conventions = LocaleConventions()
    (conventions.date, conventions.dateAndTime, conventions.time) = (text, "%x %X", text)
    let format = CalendarFormat(text, in: conventions)
    // Text that is spelt out represents itself from then on.
    let again = CalendarFormat(format.text, in: LocaleConventions())
    guard format.text.count > 200 || again == format else { fatalError("\(format) became \(again)") }
    _ = (format.dateAlone?.text, format.withFullNames.text)
    return 0
}
