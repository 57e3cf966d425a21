import MDPolicyModel

/// Finds placeholders that a template leaves for a server, a script or a person to fill in.
package enum Placeholder {
    /// The words of the finding.
    package static let words = "looks like a mark that is yet to be filled in"

    /// The first placeholder in a text, as written, or `nil`.
    ///
    /// Found are `{{…}}`, `{%…%}`, `<%…%>`, `${…}`, `$(NAME)`, `#{…}`, `%Name%`, `%Name.part%`, `{TwoWords}`, `$NAME`;
    /// `__NAME__`, `@NAME@`, `@@NAME@@`, `%%NAME%%`, `##NAME##`, `#NAME#`, `[[name]]`, `<NAME>`, `YOUR_NAME`, `[YOUR
    /// NAME]`, `{org}`, `{your_name}`, `<insert your name>`, `[Your-Name]`, `REPLACE_NAME`, `CHANGEME` and the like as
    /// whole texts; and five or more letters x by themselves.
    package static func first(in text: String) -> String? {
        let bytes = Array(text.utf8.prefix(farthest))
        for mark in ["__", "@@", "@", "%%", "##", "#"] where isWhole(bytes, mark) { return text }
        if isRequest(bytes) || isWish(bytes) || isDoublyBracketed(bytes) || isBraced(bytes) { return text }
        if let crosses = crosses(in: bytes) { return crosses }
        guard bytes.contains(where: { [0x23, 0x24, 0x25, 0x3c, 0x7b].contains($0) }) else { return nil }
        var index = 0
        while index < bytes.count {
            let length: Int?
            switch bytes[index] {
            case UInt8(ascii: "{"):
                length = braces(bytes[index...]) ?? enclosed(bytes[index...], "{%", "%}") ?? words(bytes[index...])
            case UInt8(ascii: "<"): length = enclosed(bytes[index...], "<%", "%>")
            case UInt8(ascii: "#"): length = enclosed(bytes[index...], "#{", "}")
            case UInt8(ascii: "%"): length = percent(bytes[index...])
            case UInt8(ascii: "$"):
                length = variable(bytes[index...]) ?? parenthesis(bytes[index...]) ?? dollar(bytes[index...])
            default: length = nil
            }
            if let length { return String(decoding: bytes[index..<(index + length)], as: UTF8.self) }
            index += 1
        }
        return nil
    }

    /// The part of a text that is searched, in bytes: placeholders are in short texts.
    private static let farthest = 1 << 13
    /// The longest placeholder, in bytes.
    private static let longest = 80

    /// The names after a `$` that programs fill in themselves; they are not placeholders.
    private static let variables: Set<String> = [
        "DISPLAY", "HOME", "HOSTNAME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER",
    ]
    /// The verbs before the name of a placeholder.
    private static let requests = ["your", "replace", "insert", "enter", "change", "changeme", "todo", "placeholder"]

    /// The words that are placeholders by themselves.
    private static let lone = ["changeme", "fixme", "placeholder", "todo"]

    /// Whether a text in capitals asks for a replacement: `YOUR-TOKEN-HERE`, `REPLACE_ME`, `<TOKEN>`.
    private static func isRequest(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 3, bytes.count <= longest else { return false }
        let isEnclosed = bytes.first == UInt8(ascii: "<") && bytes.last == UInt8(ascii: ">")
        let isBracketed = bytes.first == UInt8(ascii: "[") && bytes.last == UInt8(ascii: "]")
        let inner = isEnclosed || isBracketed ? bytes.dropFirst().dropLast() : bytes[...]
        guard inner.allSatisfy({ isCapital($0) || isDigit($0) || isBlank($0) }) else { return false }
        let words = inner.split(whereSeparator: isBlank)
        guard words.count > 1 else {
            return isEnclosed || begins(words, with: lone)
        }
        let asks = begins(words, with: requests)
        return isEnclosed || asks || words.last?.elementsEqual("HERE".utf8) == true
    }

    /// Whether a text in brackets asks for a value in words: `<insert your org id>`, `[Your Server]`.
    private static func isWish(_ bytes: [UInt8]) -> Bool {
        let ends = [bytes.first, bytes.last]
        guard bytes.count <= longest, [[0x3c, 0x3e], [0x5b, 0x5d]].contains(ends) else { return false }
        let words = bytes.dropFirst().dropLast().split(whereSeparator: isBlank)
        guard words.count > 1, words.joined().allSatisfy({ isLetter($0) || isDigit($0) }) else { return false }
        return begins(words, with: requests)
    }

    /// Whether a text is a name in two pairs of brackets: `[[org]]`.
    private static func isDoublyBracketed(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 5, bytes.count <= longest, bytes.starts(with: "[[".utf8),
            bytes.suffix(2).elementsEqual("]]".utf8)
        else { return false }
        return bytes.dropFirst(2).dropLast(2).allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
    }

    /// The first words in braces that mean the administrator's organization.
    private static let organizations = ["org", "organization", "organisation", "company", "your", "insert", "replace"]

    /// Whether a text is words in braces and the first word asks for something that only the administrator knows:
    /// `{org}`.
    ///
    /// Other names in braces may be filled in by programs, so they are not reported.
    private static func isBraced(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 4, bytes.count <= longest, bytes.first == UInt8(ascii: "{"),
            bytes.last == UInt8(ascii: "}")
        else { return false }
        let words = bytes.dropFirst().dropLast().split(whereSeparator: isBlank)
        return words.joined().allSatisfy(isLetter) && begins(words, with: organizations)
    }

    /// Whether a text is a name in capitals between two delimiters.
    private static func isWhole(_ bytes: [UInt8], _ mark: String) -> Bool {
        let width = mark.utf8.count
        guard bytes.count > 2 * width + 1, bytes.count <= longest, bytes.starts(with: mark.utf8),
            bytes.suffix(width).elementsEqual(mark.utf8)
        else { return false }
        return bytes.dropFirst(width).dropLast(width).allSatisfy {
            isCapital($0) || isDigit($0) || $0 == UInt8(ascii: "_")
        }
    }

    /// Five or more letters x with neither a letter nor a digit beside them, the usual form of a redacted text.
    private static func crosses(in bytes: [UInt8]) -> String? {
        for cross in [UInt8(ascii: "x"), UInt8(ascii: "X")] {
            var start = 0
            while let first = bytes[start...].firstIndex(of: cross) {
                let run = bytes[first...].prefix { $0 == cross }
                let isAlone = [bytes[..<first].last, bytes[run.endIndex...].first].allSatisfy { byte in
                    byte.map { !isLetter($0) && !isDigit($0) } ?? true
                }
                if run.count >= 5, isAlone { return String(decoding: run.prefix(longest), as: UTF8.self) }
                start = run.endIndex
            }
        }
        return nil
    }

    /// The length of `{{…}}` around a name; `nil` for a rectangle in braces, as windows keep their place.
    private static func braces(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let length = enclosed(bytes, "{{", "}}") else { return nil }
        let inner = bytes.dropFirst(2).prefix(length - 4)
        return inner.contains(where: isLetter) && !inner.contains(UInt8(ascii: "{")) ? length : nil
    }

    /// The length of `${…}`; `nil` for a name in small letters, which another program fills in: `${home}`.
    private static func variable(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let length = enclosed(bytes, "${", "}") else { return nil }
        let inner = bytes.dropFirst(2).prefix(length - 3)
        // A variable of policy files has no meaning in a profile.
        if ["user", "uid", "host"].contains(where: { inner.elementsEqual($0.utf8) }) { return length }
        let isLower = inner.first.map { isLetter($0) && !isCapital($0) } ?? false
        return isLower && inner.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") } ? nil : length
    }

    /// The length of `$(NAME)`, in capitals.
    private static func parenthesis(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.starts(with: "$(".utf8) else { return nil }
        let name = bytes.dropFirst(2).prefix { isCapital($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
        guard name.count >= 2, name.count < longest, bytes[name.endIndex...].first == UInt8(ascii: ")") else {
            return nil
        }
        return name.count + 3
    }

    /// The length of a placeholder on one line that begins and ends with given bytes.
    private static func enclosed(_ bytes: ArraySlice<UInt8>, _ opening: String, _ closing: String) -> Int? {
        guard bytes.starts(with: opening.utf8) else { return nil }
        var index = bytes.startIndex + opening.utf8.count
        while index < bytes.endIndex, index - bytes.startIndex < longest, bytes[index] != 0x0a {
            if bytes[index...].starts(with: closing.utf8) { return index - bytes.startIndex + closing.utf8.count }
            index += 1
        }
        return nil
    }

    /// The length of `{TwoWords}`, each with an initial capital.
    private static func words(_ bytes: ArraySlice<UInt8>) -> Int? {
        let name = bytes.dropFirst().prefix(longest).prefix(while: isLetter)
        guard name.count >= 6, bytes[name.endIndex...].first == UInt8(ascii: "}"), name.first.map(isCapital) == true,
            name.filter(isCapital).count > 1, !name.allSatisfy(isCapital)
        else { return nil }
        return name.count + 2
    }

    /// The length of `%Name%`, or of `%name.part%` as device managers have it; `nil` if it is more likely an escape of a
    /// URL, or a single name in small letters, as `%file_sha%`, which another program fills in.
    private static func percent(_ bytes: ArraySlice<UInt8>) -> Int? {
        let name = bytes.dropFirst().prefix { isLetter($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".") }
        guard name.count >= 4, name.count < longest, name.first.map(isLetter) == true,
            name.contains(where: { isCapital($0) || $0 == UInt8(ascii: ".") }),
            bytes[name.endIndex...].first == UInt8(ascii: "%")
        else { return nil }
        return name.count + 2
    }

    /// The length of `$NAME`, with four capitals at least.
    private static func dollar(_ bytes: ArraySlice<UInt8>) -> Int? {
        let name = bytes.dropFirst().prefix { isCapital($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
        guard name.count >= 4, name.count < longest, name.filter(isCapital).count >= 3 else { return nil }
        // A small letter after it makes it part of a word.
        if let next = bytes[name.endIndex...].first, isLetter(next) { return nil }
        return variables.contains(String(decoding: name, as: UTF8.self)) ? nil : name.count + 1
    }

    /// Whether the first of some words is one of others, which are in lower case, without regard to case.
    private static func begins(_ words: [ArraySlice<UInt8>], with others: [String]) -> Bool {
        guard let first = words.first?.map(ByteSet.lowercase) else { return false }
        return others.contains { first.elementsEqual($0.utf8) }
    }

    /// Whether a byte separates words: a blank, an underscore or a dash.
    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    /// Whether a byte is a capital letter of ASCII.
    private static func isCapital(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }

    /// Whether a byte is a digit of ASCII.
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Whether a byte is a letter of ASCII.
    private static func isLetter(_ byte: UInt8) -> Bool {
        isCapital(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}
