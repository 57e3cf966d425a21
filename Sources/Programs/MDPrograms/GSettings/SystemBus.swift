import MDPlatform
import MDTools

/// Sends signals over the system's D-Bus.
///
/// Source: <https://dbus.freedesktop.org/doc/dbus-specification.html>
struct SystemBus {
    /// The socket of the bus; a machine without it has no programs that listen.
    static let socket = "/run/dbus/system_bus_socket"
    /// How long the bus may take, in milliseconds.
    private static let patience = 2_000

    /// A signal with one text.
    struct Signal {
        /// The object that sends it.
        let path: String
        let interface: String
        let member: String
        let text: String
    }

    /// Sends signals, and waits until the bus has taken all of them.
    ///
    /// - Throws: why the bus took none, as a clause.
    static func send(_ signals: [Signal], in root: Root) throws(SystemError) {
        let bus = "org.freedesktop.DBus"
        func call(_ member: String, _ serial: UInt32) -> [UInt8] {
            message(
                kind: 1, serial: serial,
                fields: [(1, "o", "/org/freedesktop/DBus"), (2, "s", bus), (3, "s", member), (6, "s", bus)])
        }
        let identity = String(CurrentProcess.uid).utf8.map { String($0, radix: 16) }.joined()
        var bytes: [UInt8] = [0] + Array("AUTH EXTERNAL \(identity)\r\nBEGIN\r\n".utf8)
        bytes += call("Hello", 1)
        for (index, signal) in signals.enumerated() {
            bytes += message(
                kind: 4, serial: UInt32(index) + 2,
                fields: [
                    (1, "o", signal.path), (2, "s", signal.interface), (3, "s", signal.member), (8, "g", "s"),
                ], text: signal.text)
        }
        // What the bus answers to the last call says that it has read everything before.
        bytes += call("GetId", UInt32(signals.count) + 2)
        let answer = try StreamConversation.hold(
            with: socket, under: root, sending: bytes, limit: 64 << 10, milliseconds: patience
        ) { replies(in: $0).map { $0.count == 2 } ?? true }
        guard replies(in: answer) == [true, true] else {
            throw SystemError(operation: "talk to", path: root.display(socket), code: 71, reason: "it refuses")
        }
    }

    /// The bytes of a message with at most one text in it.
    private static func message(
        kind: UInt8, serial: UInt32, fields: [(code: UInt8, type: Unicode.Scalar, text: String)], text: String? = nil
    ) -> [UInt8] {
        var body: [UInt8] = []
        if let text { add(text, to: &body) }
        var header: [UInt8] = []
        for (code, type, text) in fields {
            header.pad(to: 8)
            header += [code, 1, UInt8(ascii: type), 0]
            if type == "g" {
                header += [UInt8(text.utf8.count)] + Array(text.utf8) + [0]
            } else {
                add(text, to: &header)
            }
        }
        var bytes = [UInt8(ascii: "l"), kind, 0, 1]
        for number in [UInt32(body.count), serial, UInt32(header.count)] { add(number, to: &bytes) }
        bytes += header
        bytes.pad(to: 8)
        return bytes + body
    }

    private static func add(_ number: UInt32, to bytes: inout [UInt8]) {
        bytes += GVariant.littleEndian(UInt64(number), width: 4)
    }

    private static func add(_ text: String, to bytes: inout [UInt8]) {
        bytes.pad(to: 4)
        add(UInt32(text.utf8.count), to: &bytes)
        bytes += Array(text.utf8) + [0]
    }

    /// Which calls were answered, in order, each with whether it succeeded.
    ///
    /// - Returns: `nil` if the bus does not let this process in.
    static func replies(in bytes: [UInt8]) -> [Bool]? {
        guard let end = bytes.firstIndex(of: 0x0a) else { return [] }
        guard bytes.starts(with: "OK ".utf8) else { return nil }
        var (rest, replies): (ArraySlice<UInt8>, [Bool]) = (bytes[(end + 1)...], [])
        func number(_ offset: Int) -> Int {
            rest.dropFirst(offset).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        while rest.count >= 16 {
            // A bus answers in the byte order of its machine, which is this one.
            guard rest.first == UInt8(ascii: "l") else { return nil }
            let length = (16 + number(12)).aligned(to: 8) + number(4)
            if length > rest.count { break }
            let kind = rest[rest.startIndex + 1]
            if kind == 2 || kind == 3 { replies.append(kind == 2) }
            rest = rest.dropFirst(length)
        }
        return replies
    }
}
