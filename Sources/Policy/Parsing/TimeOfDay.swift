/// Reads the times of windows.
enum TimeOfDay {
    /// The seconds of a day.
    static let day = 86_400

    /// The second of the day that `HH:MM` or `HH:MM:SS` names, up to `24:00`; `nil` for anything else.
    static func second(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5 || bytes.count == 8 else { return nil }
        var numbers: [Int] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            guard let tens = digit(bytes[start]), let ones = digit(bytes[start + 1]) else { return nil }
            if start > 0, bytes[start - 1] != UInt8(ascii: ":") { return nil }
            numbers.append(tens * 10 + ones)
        }
        let seconds = numbers[0] * 3_600 + numbers[1] * 60 + (numbers.count > 2 ? numbers[2] : 0)
        guard numbers.dropFirst().allSatisfy({ $0 < 60 }), seconds <= day else { return nil }
        return seconds
    }

    /// A second of the day as `HH:MM`, or `HH:MM:SS` where it is not the first of its minute.
    static func text(_ second: Int) -> String {
        /// Two digits.
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let minutes = "\(digits(second / 3_600)):\(digits(second / 60 % 60))"
        return second % 60 == 0 ? minutes : "\(minutes):\(digits(second % 60))"
    }

    /// The number of a digit.
    private static func digit(_ byte: UInt8) -> Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int(byte - UInt8(ascii: "0")) : nil
    }
}
