import MDPlatform
import MDPropertyList
import MDTools

/// The DevTools protocol of Chromium's family over descriptors: JSON texts, each ended by NUL.
///
/// Source: <https://chromedevtools.github.io/devtools-protocol/>
struct DevToolsPipe {
    private let socket: StreamSocket
    /// What has arrived and was not read yet.
    private var buffer: [UInt8] = []
    /// The number of the last call.
    private var number = 0

    init(_ socket: StreamSocket) {
        self.socket = socket
    }

    /// Calls a method and waits for its result; events in between are skipped.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - parameters: its parameters.
    ///   - session: the session with a page; `nil` for the browser itself.
    /// - Returns: the result's members.
    /// - Throws: what the browser refused, or that it gave no answer.
    mutating func call(
        _ method: String, _ parameters: [Key: Value] = [:], session: String? = nil
    ) throws(WitnessError) -> [Key: Value] {
        number += 1
        var message: [Key: Value] = [
            "id": .integer(number), "method": .string(method), "params": .dictionary(parameters),
        ]
        if let session { message["sessionId"] = .string(session) }
        guard let text = PlainJSON.encode(.dictionary(message)) else { throw .unreadable("the question is no JSON") }
        try socket.sendQuestion(text + [0])
        while true {
            let answer = try next()
            guard answer["id"] == .integer(number) else { continue }
            if case .dictionary(let refusal) = answer["error"] {
                guard case .string(let reason) = refusal["message"] else { throw .unreadable("an error without text") }
                throw WitnessError("it refuses \(method): \(Printable.escape(reason))")
            }
            guard case .dictionary(let result) = answer["result"] else { return [:] }
            return result
        }
    }

    /// Evaluates an expression in a page and waits for the promise that it is.
    ///
    /// - Returns: the string that it becomes.
    mutating func evaluate(_ expression: String, session: String) throws(WitnessError) -> String {
        let answer = try call(
            "Runtime.evaluate",
            [
                "expression": .string(expression), "awaitPromise": .boolean(true), "returnByValue": .boolean(true),
            ], session: session)
        guard answer["exceptionDetails"] == nil, case .dictionary(let result) = answer["result"],
            case .string(let text) = result["value"]
        else { throw .unreadable("the page did not answer") }
        return text
    }

    /// Receives the next message.
    private mutating func next() throws(WitnessError) -> [Key: Value] {
        // Where the next NUL can be.
        var searched = 0
        while true {
            if let end = buffer[searched...].firstIndex(of: 0) {
                let text = Array(buffer[..<end])
                buffer.removeFirst(end + 1)
                do {
                    return try PlainJSON.object(text)
                } catch {
                    throw .unreadable("\(error)")
                }
            }
            searched = buffer.count
            if searched > WitnessPlace.messageLimit { throw .unreadable("it is too long") }
            buffer += try socket.receiveAnswer()
        }
    }
}
