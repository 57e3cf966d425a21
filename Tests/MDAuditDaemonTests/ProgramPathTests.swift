import Foundation
import MDAuditClient
import MDAuditRecord
import MDCare
import MDPlatform
import MDPropertyList
import MDTestSupport
import MDTools
import Testing

@testable import MDAuditDaemon

/// Root reads which program a process of another user runs, and the service asks root.
struct ProgramPathTests {
    /// A machine with one forced key.
    private func machine() throws -> TemporaryMachine {
        let machine = try TemporaryMachine(.pupil)
        try machine.policy(
            "10-a.json", #"{ "Identifier": "a.b", "Forced": { "org.example.app": { "Key": "forced" } } }"#)
        try machine.makeDirectory("run/managed-defaults")
        try machine.makeDirectory("run/systemd/users")
        return machine
    }

    /// The part of root, as a process, once it listens.
    private func rootPart(_ machine: TemporaryMachine) throws -> SpawnedProgram {
        try machine.write("watch", "")
        let program = try SpawnedProgram(
            BuiltProgram.path("mdefaults"), ["--root", machine.path, "audit", "scan", "--watch"],
            environment: [:], folder: "/", streams: ("/dev/null", machine("watch"), machine("watch")))
        let end = Date(timeIntervalSinceNow: 120)
        while (try? MessageSocket.connect(ProgramPath.socketPath, under: machine.root)) == nil {
            try #require(Date() < end, "\((try? machine.text("watch")) ?? "")")
            usleep(1_000)
        }
        return program
    }

    /// Stops the part of root at a moment at which it does not have the lock of the log, for which all would wait.
    private func stop(_ part: SpawnedProgram, on machine: TemporaryMachine) throws {
        let end = Date(timeIntervalSinceNow: 60)
        while true {
            var status: Int32 = 0
            part.send(SIGSTOP)
            try #require(waitpid(part.id, &status, WUNTRACED) == part.id)
            do throws(SystemError) {
                _ = try machine.root.lockInTurn("/var/log/managed-defaults/lock", owner: nil, seconds: 0.2)
                return
            } catch {
                if error.isMissing { return }
            }
            part.send(SIGCONT)
            try #require(Date() < end)
        }
    }

    /// A service that may not read the links of its clients.
    private func service(_ machine: TemporaryMachine) throws -> ServiceThread {
        var limits = ServiceLimits()
        limits.readsPrograms = false
        return try ServiceThread(machine.root, limits)
    }

    /// Stores an attempt of a client that names another program, and returns the record.
    private func stored(_ machine: TemporaryMachine, _ number: Int) throws -> AuditRecord {
        var claim = Client.attempt(number)
        claim.exe = "/bin/other"
        guard case .stored(let place, 1) = try Client(machine.root).store([claim]) else {
            throw ClientFailure(description: "not stored")
        }
        return try #require(try machine.records().first { $0.seq == place })
    }

    @Test func `the program of a record is what root read, not what its sender says`() throws {
        let machine = try machine()
        let part = try rootPart(machine)
        let service = try service(machine)
        let record = try stored(machine, 1)
        #expect(record.exe == CurrentProcess.executablePath && record.src == .client)
        let words = ["--root", machine.path, "--user", "pupil", "write", "org.example.app", "Key", "mine"]
        #expect(try SpawnedProgram.run(BuiltProgram.path("mdefaults"), words).code == 3)
        let other = try #require(try machine.records().last { $0.via == .cli })
        let path = try #require(realpath(BuiltProgram.path("mdefaults"), nil))
        defer { free(path) }
        #expect(other.exe == String(cString: path) && other.src == .client)
        part.send(SIGTERM)
        #expect(try part.code(within: 60) == 0)
        #expect(!machine.exists("run/managed-defaults/exe.sock"))
        service.end()
    }

    @Test func `without the part of root the program is the sender's claim, and the record says so`() throws {
        let machine = try machine()
        let service = try service(machine)
        let record = try stored(machine, 1)
        #expect(record.exe == "/bin/other" && record.src == .claim)
        let words = ["--root", machine.path, "--user", "pupil", "write", "org.example.app", "Key", "mine"]
        #expect(try SpawnedProgram.run(BuiltProgram.path("mdefaults"), words).code == 3)
        let own = try #require(try machine.records().last { $0.via == .cli })
        let path = try #require(realpath(BuiltProgram.path("mdefaults"), nil))
        defer { free(path) }
        #expect(own.exe == String(cString: path) && own.src == .claim)
        service.end()
    }

    @Test func `a part of root that hangs delays no answer for long`() throws {
        let machine = try machine()
        let part = try rootPart(machine)
        try stop(part, on: machine)
        let service = try service(machine)
        for number in 0..<50 {
            let record = try stored(machine, number)
            #expect(record.exe == "/bin/other" && record.src == .claim)
        }
        part.send(SIGCONT)
        part.send(SIGTERM)
        #expect(try part.code(within: 60) == 0)
        service.end()
    }

    /// A server on a thread of the tests.
    private func server(_ machine: TemporaryMachine) throws {
        let server = try ProgramPathServer.listen(root: machine.root, user: CurrentProcess.euid)
        try #require(server.start())
    }

    /// Connects to the server.
    private func connect(_ machine: TemporaryMachine) throws -> MessageSocket {
        try MessageSocket.connect(ProgramPath.socketPath, under: machine.root)
    }

    /// The process at the other end of a connection.
    private func handle(_ socket: borrowing MessageSocket) throws -> ProcessHandle {
        guard let process = ProcessHandle(peerOf: socket) else {
            throw ClientFailure(description: "The kernel gives no descriptor of the process.")
        }
        return process
    }

    /// Sends a message with a descriptor.
    private func send(
        _ message: [UInt8], over socket: borrowing MessageSocket, with process: borrowing ProcessHandle
    ) throws {
        let isSent = socket.send(message, with: process)
        try #require(isSent)
    }

    /// The answer to a question; `nil` if the connection was closed.
    private func answer(_ socket: borrowing MessageSocket) throws -> [UInt8]? {
        let isReady = socket.wait(milliseconds: Client.milliseconds)
        try #require(isReady)
        guard case .message(let answer) = socket.receive(limit: ProgramPath.longestAnswer) else { return nil }
        return answer
    }

    /// Checks an answer.
    private func expect(_ socket: borrowing MessageSocket, _ expected: [UInt8]?) throws {
        let found = try answer(socket)
        #expect(found == expected)
    }

    /// Checks the program in an answer by its end.
    private func expectProgram(_ socket: borrowing MessageSocket, _ end: String) throws {
        let found = try answer(socket).flatMap { ProgramPath.path(in: $0) }
        #expect(found?.hasSuffix(end) == true && !end.isEmpty)
    }

    @Test func `only the service's user may connect`() throws {
        let machine = try machine()
        try server(machine)
        var status = stat()
        #expect(lstat(machine("run/managed-defaults/exe.sock"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600 && status.st_uid == CurrentProcess.euid)
    }

    @Test(.enabled(if: geteuid() == 0, "needs root")) func `another user's connection is closed`() throws {
        let machine = try machine()
        let server = try ProgramPathServer.listen(root: machine.root, user: 65_534)
        try #require(server.start())
        let socket = try connect(machine)
        let own = try handle(socket)
        // The connection may be closed before the question is sent.
        _ = socket.send(ProgramPath.question, with: own)
        try expect(socket, nil)
    }

    @Test func `what is no question closes the connection, and the next one is answered`() throws {
        let machine = try machine()
        try server(machine)
        for message in [[UInt8(1)], [2], [1, 1], [UInt8](repeating: 1, count: 5_000)] {
            let socket = try connect(machine)
            try socket.send(message)
            try expect(socket, nil)
        }
        for message in [[UInt8(2)], [1, 1]] {
            let socket = try connect(machine)
            let own = try handle(socket)
            try send(message, over: socket, with: own)
            try expect(socket, nil)
        }
        let many = try connect(machine)
        passTwo(over: many.raw)
        try expect(many, nil)
        let socket = try connect(machine)
        let own = try handle(socket)
        for _ in 0..<3 {
            try send(ProgramPath.question, over: socket, with: own)
            try expectProgram(socket, CurrentProcess.executablePath ?? "")
        }
        // A descriptor that is no process has no program.
        for path in ["/dev/null", "/proc/self/status", "/proc/self"] {
            let file = ProcessHandle(FileDescriptor(owning: open(path, O_RDONLY | O_CLOEXEC)))
            try send(ProgramPath.question, over: socket, with: file)
            try expect(socket, [0])
        }
    }

    @Test func `connections beyond the limit are closed, and leave no descriptor`() throws {
        let machine = try machine()
        try server(machine)
        for _ in 0..<200 {
            let socket = try connect(machine)
            passTwo(over: socket.raw)
        }
        let socket = try connect(machine)
        let own = try handle(socket)
        try send(ProgramPath.question, over: socket, with: own)
        try expectProgram(socket, CurrentProcess.executablePath ?? "")
    }

    @Test func `a process that has ended has no program, whoever has its number`() throws {
        let machine = try machine()
        try server(machine)
        try machine.makeDirectory("run/mdefaultsd")
        let listener = try MessageListener.bind(ServiceProtocol.socketPath, under: machine.root, mode: 0o600)
        try machine.write("out", "")
        let words = ["--root", machine.path, "--user", "pupil", "write", "org.example.app", "Key", "mine"]
        let program = try SpawnedProgram(
            BuiltProgram.path("mdefaults"), words, environment: [:], folder: "/",
            streams: ("/dev/null", machine("out"), machine("out")))
        var entry = pollfd(fd: listener.raw, events: Int16(POLLIN), revents: 0)
        try #require(poll(&entry, 1, Int32(Client.milliseconds)) == 1)
        guard case .connection(let client) = listener.accept() else {
            Issue.record("no connection")
            return
        }
        let process = try handle(client)
        let socket = try connect(machine)
        try send(ProgramPath.question, over: socket, with: process)
        try expectProgram(socket, "/mdefaults")
        program.send(SIGKILL)
        #expect(try program.code(within: 60) == -SIGKILL)
        try send(ProgramPath.question, over: socket, with: process)
        try expect(socket, [0])
    }

    /// Sends a question with two descriptors.
    private func passTwo(over socket: Int32) {
        var text = ProgramPath.question
        var control = [UInt8](repeating: 0, count: 24)
        text.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                // cmsghdr: length, level, type, then the descriptors.
                control.storeBytes(of: 24, as: Int.self)
                control.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: Int32.self)
                control.storeBytes(of: 1, toByteOffset: 12, as: Int32.self)
                for place in [16, 20] { control.storeBytes(of: socket, toByteOffset: place, as: Int32.self) }
                withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    (message.msg_iov, message.msg_iovlen) = (part, 1)
                    (message.msg_control, message.msg_controllen) = (control.baseAddress, 24)
                    _ = sendmsg(socket, &message, Int32(MSG_NOSIGNAL))
                }
            }
        }
    }
}
