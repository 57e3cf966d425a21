import Foundation
import MDTestSupport
import Testing

@testable import MDPlatform
@testable import MDTools

/// Listening, the stamps of clients, and the service manager.
struct ServiceSocketTests {
    @Test func `a listener accepts whoever connects, and knows who it is`() throws {
        let folder = try TemporaryFolder()
        let root = try folder.root()
        let listener = try MessageListener.bind("/audit.sock", under: root, mode: 0o666)
        #expect(try root.status("/audit.sock", followingLinks: false).mode == 0o666)
        if case .nothing = listener.accept() {} else { Issue.record("nobody has connected") }
        let client = try MessageSocket.connect("/audit.sock", under: root)
        try client.send([1])
        guard case .connection(let socket) = listener.accept() else {
            Issue.record("the connection is not accepted")
            return
        }
        let stamp = try PeerStamp(of: socket)
        #expect(stamp.uid == CurrentProcess.euid && stamp.gid == getegid() && stamp.pid == CurrentProcess.pid)
        #expect(stamp.startTime == CurrentProcess.startTime && stamp.executable == CurrentProcess.executablePath)
        #expect(Set(try #require(stamp.groups)) == Set(CurrentProcess.groups))
        #expect(stamp.loginUID == CurrentProcess.loginUID && stamp.sessionID == CurrentProcess.sessionID)
        // What arrived before the end of receiving is received, and nothing after it is sent.
        socket.endReceiving()
        let code = client.sendIfPossible(([2] as [UInt8]).span)
        #expect(code == EPIPE)
        let (first, second) = (socket.receive(limit: 4), socket.receive(limit: 4))
        #expect(first == .message([1]) && second == .closed)
    }

    @Test func `only a socket that nobody listens on is replaced`() throws {
        let folder = try TemporaryFolder()
        let root = try folder.root()
        /// The error of listening, a number; 0 for none.
        func code() -> Int32 {
            do throws(SystemError) {
                _ = try MessageListener.bind("/audit.sock", under: root, mode: 0o600)
                return 0
            } catch {
                return error.code
            }
        }
        try folder.file("audit.sock", "")
        #expect(code() == EEXIST)
        try root.remove("/audit.sock")
        #expect(code() == 0)
        #expect(code() == 0)
        let listener = try MessageListener.bind("/audit.sock", under: root, mode: 0o600)
        #expect(code() == EADDRINUSE)
        withExtendedLifetime(listener.raw) {}
    }

    @Test func `the unit is the part of the path that no user names`() {
        /// The unit of a line.
        func unit(_ text: String) -> String? { PeerStamp.unit(inGroups: Array(text.utf8)) }
        #expect(unit("0::/system.slice/cron.service\n") == "cron.service")
        let inSession = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/root.service\n"
        #expect(unit(inSession) == "user@1000.service")
        #expect(unit("1:name=x:/a.service\n0::/user.slice/user-1.slice/session-2.scope\n") == "session-2.scope")
        for text in ["", "0::/\n", "0::/a.slice\n", "0::/docker/abc\n", "0::/../..\n", "\u{0}"] {
            #expect(unit(text) == nil)
        }
        #expect(PeerStamp.number(Array("4294967295\n".utf8)) == nil && PeerStamp.number(Array("7".utf8)) == 7)
    }

    @Test func `the environment of a service manager counts for its process only`() throws {
        let variables = ["LISTEN_PID": "7", "LISTEN_FDS": "1", "WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "7"]
        #expect(ServiceManager(environment: variables, pid: 7).watchdogMilliseconds == 30_000)
        #expect(ServiceManager(environment: variables, pid: 8).watchdogMilliseconds == nil)
        #expect(ServiceManager(environment: ["WATCHDOG_USEC": "x"], pid: 8).watchdogMilliseconds == nil)
        let isPassed = ServiceManager(environment: variables, pid: 8).listener() != nil
        #expect(!isPassed)
    }

    @Test(arguments: [false, true]) func `a service manager is told`(isAbstract: Bool) throws {
        let folder = try TemporaryFolder()
        let name = isAbstract ? "@managed-defaults-test-\(CurrentProcess.pid)" : folder("notify")
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = isAbstract ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(2 + bytes.count + (isAbstract ? 0 : 1))
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) == 0 }
        }
        try #require(isBound)
        ServiceManager(environment: ["NOTIFY_SOCKET": name], pid: 1).tell(.ready)
        var buffer = [UInt8](repeating: 0, count: 32)
        #expect(recv(socket, &buffer, 32, 0) == 7 && buffer.starts(with: "READY=1".utf8))
        ServiceManager(environment: [:], pid: 1).tell(.ready)
    }
}
