import MDPlatform
import MDPropertyList
import MDTools

/// Mozilla's Marionette protocol: JSON texts, each after its length and a colon.
///
/// Source: <https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html>
struct MarionetteConnection {
    private let socket: StreamSocket
    /// What has arrived and was not read yet.
    private var buffer: [UInt8] = []
    /// The number of the last command.
    private var number = 0

    /// Takes up a connection and reads the greeting.
    init(_ socket: StreamSocket) throws(WitnessError) {
        self.socket = socket
        guard case .dictionary(let greeting) = try next(), greeting["marionetteProtocol"] == .integer(3) else {
            throw .unreadable("it speaks another protocol")
        }
    }

    /// Sends a command and waits for its answer.
    ///
    /// - Parameters:
    ///   - name: the command.
    ///   - parameters: its parameters.
    /// - Returns: the members of the answer.
    /// - Throws: what the program refused, or that it gave no answer.
    mutating func call(_ name: String, _ parameters: [Key: Value] = [:]) throws(WitnessError) -> [Key: Value] {
        number += 1
        let message = Value.array([.integer(0), .integer(number), .string(name), .dictionary(parameters)])
        guard let text = PlainJSON.encode(message) else { throw .unreadable("the question is no JSON") }
        try socket.sendQuestion(Array("\(text.count):".utf8) + text)
        // The type 1, the number, an error and a result; of these two one is null, which is left out.
        guard case .array(let parts) = try next(), parts.count >= 2, parts[1] == .integer(number) else {
            throw .unreadable("the answer is no answer")
        }
        guard parts.count > 2, case .dictionary(let result) = parts[2] else { return [:] }
        if result["error"] != nil, case .string(let reason) = result["message"] {
            throw WitnessError("it refuses \(name): \(Printable.escape(reason))")
        }
        return result
    }

    /// The most digits of a length.
    private static let lengthDigits = 8

    /// Receives the next message.
    private mutating func next() throws(WitnessError) -> Value {
        var colon: Int?
        while true {
            if colon == nil { colon = buffer.firstIndex(of: UInt8(ascii: ":")) }
            if let colon {
                guard colon <= MarionetteConnection.lengthDigits,
                    let length = Int(String(decoding: buffer[..<colon], as: UTF8.self)), length >= 0,
                    length <= WitnessPlace.messageLimit
                else { throw .unreadable("its length is none") }
                if buffer.count - colon - 1 >= length {
                    let text = Array(buffer[(colon + 1)...].prefix(length))
                    buffer.removeFirst(colon + 1 + length)
                    return try MarionetteConnection.read(text)
                }
            } else if buffer.count > MarionetteConnection.lengthDigits {
                throw .unreadable("it has no length")
            }
            buffer += try socket.receiveAnswer()
        }
    }

    private static func read(_ text: [UInt8]) throws(WitnessError) -> Value {
        do {
            return try JSONReader.readForeign(try SourceText(decoding: text)).root.value
        } catch {
            throw .unreadable("\(error)")
        }
    }
}
