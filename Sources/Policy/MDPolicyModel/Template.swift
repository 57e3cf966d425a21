import MDPlatform

/// A string of a policy file with variables: `${user}`, `${uid}`, `${home}`, `${host}`; `$${` is a literal `${`.
package struct Template {
    /// The variables that exist.
    package enum Variable: String, CaseIterable {
        /// The user's name.
        case user
        /// The user's id in decimal digits.
        case uid
        /// The user's home directory.
        case home
        /// The short name of the host.
        case host
    }

    /// Why a string is not a valid template.
    package enum FormatError: Error {
        /// A variable that does not exist.
        case unknown(String)
        /// A `${` without its `}`.
        case unterminated

        /// What is wrong, in words, with a suggestion.
        package var message: String {
            switch self {
            case .unterminated: return "a ${ has no }; $${ stands for a literal ${"
            case .unknown(let name):
                let nearest = Suggestion.nearest(to: name, among: Variable.allCases.map(\.rawValue))
                let hint = nearest.map { "; ${\($0)} is probably meant" } ?? ""
                return "there is no variable ${\(Printable.escape(name))}\(hint); $${ stands for a literal ${"
            }
        }
    }

    /// The bytes of the string, which is valid.
    ///
    /// Bytes, not characters: `$` with a combining mark after it must not hide the brace that follows.
    private let bytes: [UInt8]

    /// The first variable in a string that is written as in a shell, without braces; `nil` if there is none.
    package static func bareVariable(in text: String) -> String? {
        let bytes = Array(text.utf8)
        for index in bytes.indices where bytes[index] == UInt8(ascii: "$") {
            if index > 0, bytes[index - 1] == UInt8(ascii: "$") { continue }
            let name = bytes[(index + 1)...].prefix { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                    || byte == 0x5f
            }
            if let variable = Variable(rawValue: String(decoding: name, as: UTF8.self)) { return variable.rawValue }
        }
        return nil
    }

    /// Whether a string has anything that is not literal text.
    package static func isNeeded(for text: String) -> Bool {
        // Nearly every text has no dollar sign.
        if text.hasOnlyBytes({ $0 != UInt8(ascii: "$") }) { return false }
        var afterDollar = false
        for byte in text.utf8 {
            if afterDollar, byte == UInt8(ascii: "{") { return true }
            afterDollar = byte == UInt8(ascii: "$")
        }
        return false
    }

    /// Checks a string.
    ///
    /// - Throws: the first error in it.
    package init(_ text: String) throws(FormatError) {
        bytes = Array(text.utf8)
        try Template.walk(bytes, text: { _ in }, variable: { _ in })
    }

    /// Splits a string, from left to right, into literal text and variables.
    private static func walk(
        _ bytes: [UInt8], text: (ArraySlice<UInt8>) -> Void, variable: (Variable) -> Void
    ) throws(FormatError) {
        let (dollar, brace) = (UInt8(ascii: "$"), UInt8(ascii: "{"))
        /// Whether an index, which may lie past the end, has a byte.
        func has(_ byte: UInt8, at index: Int) -> Bool { index < bytes.count && bytes[index] == byte }
        var (start, index) = (0, 0)
        while index < bytes.count {
            guard bytes[index] == dollar else {
                index += 1
                continue
            }
            if has(dollar, at: index + 1), has(brace, at: index + 2) {
                // One of the two dollar signs is the escape; the other and the brace are the text.
                text(bytes[start..<index])
                start = index + 1
                index += 3
            } else if has(brace, at: index + 1) {
                text(bytes[start..<index])
                guard let end = bytes[index...].firstIndex(of: UInt8(ascii: "}")) else { throw .unterminated }
                let name = String(decoding: bytes[(index + 2)..<end], as: UTF8.self)
                guard let known = Variable(rawValue: name) else { throw .unknown(name) }
                variable(known)
                index = end + 1
                start = index
            } else {
                index += 1
            }
        }
        text(bytes[start...])
    }

    /// Whether the string has a variable that satisfies a condition.
    package func contains(where isWanted: (Variable) -> Bool) -> Bool {
        var isFound = false
        // The string was checked, so that this cannot throw.
        try? Template.walk(bytes) { _ in
        } variable: { variable in
            if isWanted(variable) { isFound = true }
        }
        return isFound
    }

    /// The string for a subject; `nil` if one of its variables is unknown of the subject.
    package func expanded(for subject: Subject) -> String? {
        if contains(where: { !$0.isKnown(of: subject) }) { return nil }
        var result: [UInt8] = []
        // The string was checked, so that this cannot throw.
        try? Template.walk(bytes) {
            result += $0
        } variable: { variable in
            switch variable {
            case .user: result += subject.userName.utf8
            case .uid: result += String(subject.uid).utf8
            case .home: result += subject.home.utf8
            case .host: result += subject.host.short.utf8
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension Template.Variable {
    /// Whether the variable is known of a subject.
    package func isKnown(of subject: Subject) -> Bool {
        switch self {
        case .user: subject.unknown.isDisjoint(with: [.identity, .name])
        case .home: subject.unknown.isDisjoint(with: [.identity, .name, .home])
        case .uid: subject.unknown.isDisjoint(with: [.identity, .id])
        case .host: true
        }
    }
}
