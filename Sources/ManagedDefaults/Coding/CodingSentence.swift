import PropertyList

/// What a decoding or encoding error says, in a sentence for people.
enum CodingSentence {
    /// The sentence, with the place inside of the value where there is one.
    static func of(_ error: any Error) -> String {
        switch error {
        case let error as DecodingError:
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
                .dataCorrupted(let context):
                return sentence(context.debugDescription, context.codingPath)
            @unknown default: return "\(error)"
            }
        case let error as EncodingError:
            if case .invalidValue(_, let context) = error {
                return sentence(context.debugDescription, context.codingPath)
            }
            return "\(error)"
        default: return "\(error)"
        }
    }

    /// A description with its place in front.
    private static func sentence(_ description: String, _ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return description }
        return "At \(path.map(\.stringValue).joined(separator: ".")): \(description)"
    }
}
