import Glibc
import MDCPlatform
import MDPlatform

/// What a service manager such as systemd gave the process, and what the process tells it (sd_listen_fds(3),
/// sd_notify(3)).
package struct ServiceManager: Sendable {
    /// The environment variables of the protocol.
    private static let names = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS"]
    /// The first descriptor that is passed.
    private static let firstDescriptor: Int32 = 3

    /// The socket for messages; `nil` if the service manager wants none.
    private let socket: String?
    /// The descriptors that were passed.
    private let descriptors: Range<Int32>
    /// How often to send ``Message/alive``, in milliseconds: half of the time after which the process is killed.
    package let watchdogMilliseconds: Int?

    /// Reads the environment of this process.
    package init() {
        self.init(environment: Environment.values(of: ServiceManager.names), pid: CurrentProcess.pid)
    }

    /// Reads an environment.
    init(environment: [String: String], pid: Int32) {
        socket = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isOurs = environment["WATCHDOG_PID"].map { $0 == String(pid) } ?? true
        let limit = environment["WATCHDOG_USEC"].flatMap { Int($0) } ?? 0
        watchdogMilliseconds = isOurs && limit > 0 ? max(limit / 2_000, 1) : nil
        // The variables may have been inherited from a parent that they were for.
        let count = environment["LISTEN_PID"] == String(pid) ? environment["LISTEN_FDS"].flatMap { Int32($0) } ?? 0 : 0
        let first = ServiceManager.firstDescriptor
        descriptors = first..<(first + min(max(count, 0), 16))
    }

    /// Takes over the first listening socket for messages that was passed; call once.
    ///
    /// - Returns: the socket; `nil` if there is none.
    package func listener() -> MessageListener? {
        for raw in descriptors {
            if let listener = MessageListener.adopt(raw) { return listener }
        }
        return nil
    }

    /// The most descriptors that this process may have open.
    package static var descriptorLimit: Int { Int(cplatform_descriptor_limit()) }

    /// A message to the manager.
    package enum Message: String, Sendable {
        /// The service answers.
        case ready = "READY=1"
        /// The service is about to end.
        case stopping = "STOPPING=1"
        /// The service is not frozen.
        case alive = "WATCHDOG=1"
    }

    /// Tells the manager, if there is one; never waits.
    package func tell(_ message: Message) {
        guard let socket else { return }
        let bytes = Array(message.rawValue.utf8)
        // String and bytes are valid for the duration of the call, which does not store a pointer to them.
        _ = unsafe bytes.withUnsafeBytes { unsafe cplatform_send_datagram(socket, $0.baseAddress, $0.count) }
    }
}
