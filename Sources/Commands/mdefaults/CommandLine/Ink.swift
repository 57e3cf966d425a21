import MDPlatform

/// Colour on a terminal: for what wins, fails or changes, never as the only sign of it.
struct Ink {
    /// When there is colour.
    enum Choice: String, CaseIterable {
        /// On a terminal, without `NO_COLOR`.
        case auto
        case always
        case never
    }

    /// Whether texts get colour.
    let isOn: Bool

    static let none = Ink(isOn: false)

    /// Decides for standard output.
    init(_ choice: Choice) {
        switch choice {
        case .always: isOn = true
        case .never: isOn = false
        case .auto:
            guard StandardStream.output.isTerminal else {
                isOn = false
                return
            }
            let values = Environment.values(of: ["NO_COLOR", "TERM"])
            isOn = (values["NO_COLOR"] ?? "").isEmpty && values["TERM"] != "dumb"
        }
    }

    private init(isOn: Bool) { self.isOn = isOn }

    func red(_ text: String) -> String { paint(text, "31") }
    func green(_ text: String) -> String { paint(text, "32") }
    func yellow(_ text: String) -> String { paint(text, "33") }
    func bold(_ text: String) -> String { paint(text, "1") }
    func dim(_ text: String) -> String { paint(text, "2") }

    /// The text between the sequences that begin and end a colour.
    private func paint(_ text: String, _ code: String) -> String {
        isOn && !text.isEmpty ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }

    /// A line of a difference in the colour of its sign.
    func difference(_ line: String) -> String {
        guard isOn else { return line }
        let sign = line.utf8.first { $0 != 0x20 }
        switch sign {
        case UInt8(ascii: "+"): return green(line)
        case UInt8(ascii: "-"): return red(line)
        case UInt8(ascii: "~"): return yellow(line)
        default: return line.hasPrefix("      ") ? dim(line) : bold(line)
        }
    }
}
