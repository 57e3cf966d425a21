import MDPlatform

/// A format of NSCalendarDate, made of one of strftime(3).
struct CalendarFormat: Equatable {
    /// A piece of a format.
    private enum Piece: Equatable {
        /// Literal text.
        case text(String)
        /// A conversion, by its letter.
        case conversion(Character)

        /// Whether it is a part of a date.
        var isDate: Bool { if case .conversion(let letter) = self { "aAbBdejmwyY".contains(letter) } else { false } }
        /// Whether it is a part of a time, or the zone of one.
        var isTime: Bool { if case .conversion(let letter) = self { "HIMSpzZ".contains(letter) } else { false } }
    }

    /// The pieces in order.
    private var pieces: [Piece]

    /// Makes a format of pieces.
    private init(pieces: [Piece]) {
        self.pieces = pieces
    }

    /// The most characters of a format that are read.
    private static let limit = 256

    /// Reads a format of strftime(3): conversions that abbreviate others are spelt out, flags and alternative digits
    /// are dropped, and what NSCalendarDate has no conversion for is left out.
    ///
    /// - Parameters:
    ///   - format: the format.
    ///   - conventions: the locale, whose own formats `%x`, `%X`, `%r` and `%c` mean.
    init(_ format: String, in conventions: LocaleConventions) {
        pieces = []
        read(format, conventions, depth: 0)
    }

    /// Adds the pieces of a format.
    private mutating func read(_ format: String, _ conventions: LocaleConventions, depth: Int) {
        // A format that contains itself ends here.
        guard depth < 3 else { return }
        var rest = format.prefix(CalendarFormat.limit)
        while let character = rest.popFirst() {
            guard character == "%" else {
                add(character)
                continue
            }
            while let flag = rest.first, "-_0^#EO".contains(flag) || flag.isNumber { rest.removeFirst() }
            guard let letter = rest.popFirst() else { return }
            switch letter {
            case "a", "A", "b", "B", "d", "e", "H", "I", "j", "m", "M", "p", "S", "w", "y", "Y", "z", "Z":
                pieces.append(.conversion(letter))
            case "h": pieces.append(.conversion("b"))
            case "k": pieces.append(.conversion("H"))
            case "l": pieces.append(.conversion("I"))
            case "P": pieces.append(.conversion("p"))
            case "T": read("%H:%M:%S", conventions, depth: depth + 1)
            case "R": read("%H:%M", conventions, depth: depth + 1)
            case "D": read("%m/%d/%y", conventions, depth: depth + 1)
            case "F": read("%Y-%m-%d", conventions, depth: depth + 1)
            case "r":
                let time = conventions.twelveHourTime
                read(time.isEmpty ? "%I:%M:%S %p" : time, conventions, depth: depth + 1)
            case "x": read(conventions.date, conventions, depth: depth + 1)
            case "X": read(conventions.time, conventions, depth: depth + 1)
            case "c": read(conventions.dateAndTime, conventions, depth: depth + 1)
            case "n", "t": add(" ")
            case "%": add("%")
            default: continue
            }
        }
    }

    /// Adds a literal character.
    private mutating func add(_ character: Character) {
        if case .text(let text)? = pieces.last {
            pieces[pieces.count - 1] = .text(text + String(character))
        } else {
            pieces.append(.text(String(character)))
        }
    }

    /// The format as NSCalendarDate reads it.
    var text: String {
        var result = ""
        for piece in pieces {
            switch piece {
            case .text(let text): for character in text { result += character == "%" ? "%%" : String(character) }
            case .conversion(let letter): result += "%" + String(letter)
            }
        }
        return result
    }
}

extension CalendarFormat {
    /// The format without hours, minutes, seconds and zone; `nil` if they are between parts of the date in a way
    /// that cannot be separated, or if nothing is left.
    var dateAlone: CalendarFormat? {
        guard let first = pieces.firstIndex(where: \.isTime), let last = pieces.lastIndex(where: \.isTime) else {
            return pieces.contains(where: \.isDate) ? self : nil
        }
        guard !pieces[first...last].contains(where: \.isDate) else { return nil }
        // A unit may directly follow the last number of either part, as in Japanese: it belongs to that part.
        let before = CalendarFormat.trimmed(Array(pieces[..<first]))
        var after = Array(pieces[(last + 1)...])
        if case .text(let text)? = after.first {
            after[0] = .text(String(text.drop { !$0.isWhitespace && !$0.isPunctuation }))
        }
        after = CalendarFormat.trimmed(after)
        let parts = [before, after].filter { $0.contains(where: \.isDate) }
        guard let result = parts.first else { return nil }
        return CalendarFormat(pieces: parts.count == 2 ? result + [.text(" ")] + parts[1] : result)
    }

    /// The format with the long names of days and months in place of the short ones.
    var withFullNames: CalendarFormat {
        CalendarFormat(
            pieces: pieces.map { piece in
                switch piece {
                case .conversion("a"): .conversion("A")
                case .conversion("b"): .conversion("B")
                default: piece
                }
            })
    }

    /// The format without seconds and what joins them to the minutes.
    var withoutSeconds: CalendarFormat {
        guard let index = pieces.firstIndex(of: .conversion("S")) else { return self }
        var result = pieces
        result.remove(at: index)
        let joined = index > 0 && index - 1 < result.count ? result[index - 1] : nil
        if case .text(let text)? = joined, [":", "."].contains(text) {
            result.remove(at: index - 1)
        } else if index < result.count, case .text(let text) = result[index] {
            // The unit of the seconds, as in Japanese.
            result[index] = .text(String(text.drop { !$0.isWhitespace && !$0.isPunctuation }))
        }
        return CalendarFormat(pieces: result)
    }

    /// The order of the parts of a date, as `NSDateTimeOrdering` has it; `nil` if one is missing.
    var ordering: String? {
        let letters = pieces.compactMap { piece -> Character? in
            switch piece {
            case .conversion("d"), .conversion("e"): "D"
            case .conversion("m"), .conversion("b"), .conversion("B"): "M"
            case .conversion("y"), .conversion("Y"): "Y"
            default: nil
            }
        }
        return letters.count == 3 && Set(letters).count == 3 ? String(letters) + "H" : nil
    }

    /// Pieces without separators at either end; a unit that directly follows a conversion stays.
    private static func trimmed(_ pieces: [Piece]) -> [Piece] {
        let isSeparator: (Character) -> Bool = { $0.isWhitespace || $0 == "," }
        var result = pieces
        while case .text(let text)? = result.first {
            let rest = text.drop(while: isSeparator)
            if rest.isEmpty { result.removeFirst() } else { result[0] = .text(String(rest)) }
            if !rest.isEmpty { break }
        }
        while case .text(let text)? = result.last {
            var rest = Substring(text)
            while let last = rest.last, isSeparator(last) { rest.removeLast() }
            if rest.isEmpty { result.removeLast() } else { result[result.count - 1] = .text(String(rest)) }
            if !rest.isEmpty { break }
        }
        return result
    }
}
