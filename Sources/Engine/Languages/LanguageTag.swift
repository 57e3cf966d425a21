/// A language as users and environments name it, taken apart: `de`, `de-CH`, `zh-Hant-TW`, `sr_RS.UTF-8@latin`, `German`.
struct LanguageTag: Hashable, Sendable {
    /// The language in two or three lower-case letters (ISO 639).
    let language: String
    /// The script in four letters (ISO 15924), where one is named.
    let script: String?
    /// The country in two upper-case letters or three digits (ISO 3166, UN M.49), where one is named.
    let region: String?

    /// The most bytes of a name.
    private static let longestName = 64

    /// Takes a name apart.
    ///
    /// Anything else than these three gives `nil`.
    ///
    /// - Parameter name: a tag of BCP 47 (variants and extensions are passed over), a locale of the C library, or the
    ///   English name of a language as OpenStep used it.
    init?(_ name: String) {
        guard (1...LanguageTag.longestName).contains(name.utf8.count), name.utf8.allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        if let tag = LanguageTag.englishNames[name] {
            (language, script, region) = (tag.0, tag.1, nil)
            return
        }
        let halves = name.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let locale = halves.first?.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).first
        else { return nil }
        let parts = locale.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
        if parts.count == 1, locale == "C" || locale == "POSIX" {
            (language, script, region) = ("en", nil, nil)
            return
        }
        guard let first = parts.first, (2...3).contains(first.utf8.count), first.allSatisfy(\.isLetter) else {
            return nil
        }
        var script: String?
        var region: String?
        for part in parts.dropFirst() {
            guard (1...8).contains(part.utf8.count), part.allSatisfy({ $0.isLetter || $0.isNumber }) else { return nil }
            // A single letter begins extensions, behind which nothing speaks of script or country.
            if part.utf8.count == 1 { break }
            if script == nil, region == nil, part.utf8.count == 4, part.allSatisfy(\.isLetter) {
                script = part.prefix(1).uppercased() + part.dropFirst().lowercased()
            } else if region == nil, part.utf8.count == 2, part.allSatisfy(\.isLetter) {
                region = part.uppercased()
            } else if region == nil, part.utf8.count == 3, part.allSatisfy(\.isNumber) {
                region = String(part)
            }
        }
        let code = first.lowercased()
        language = LanguageTag.oldCodes[code] ?? code
        self.script = script ?? halves.dropFirst().first.flatMap { LanguageTag.scriptsOfModifiers[String($0)] }
        self.region = region
    }

    /// The tag in the form of BCP 47.
    var name: String {
        [language, script, region].compactMap { $0 }.joined(separator: "-")
    }

    /// Whether the C locale stands for it: English, of no country or of the one whose English that is.
    var isPlainEnglish: Bool {
        language == "en" && (region == nil || region == "US")
    }

    /// The locales of the C library that speak it, the closest first; those of the language's main country are last.
    var localeNames: [String] {
        var modifier = ""
        if let script, let special = LanguageTag.modifiersOfScripts["\(language)-\(script)"] {
            modifier = "@" + special
        }
        var main = LanguageTag.countries[language] ?? language.uppercased()
        if language == "zh", script == "Hant" { main = "TW" }
        if language == "pt", region == nil { main = "BR" }
        var names = [String]()
        if let region { names.append("\(language)_\(region).UTF-8\(modifier)") }
        if region != main { names.append("\(language)_\(main).UTF-8\(modifier)") }
        names.append("\(language).UTF-8\(modifier)")
        return names
    }
}
