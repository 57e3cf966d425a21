import MDPlatform
import MDTools

/// A folder for a program that is asked, which has nothing of the user's in it, and a time limit.
package struct WitnessPlace: ~Copyable {
    /// The folder, with rights for the program's user only.
    private let folder: PrivateFolder
    /// The environment variables that say whose files the program reads.
    private let variables: [String]
    /// When the program is ended, in monotonic microseconds.
    let deadline: Int64

    /// The most bytes of one message of a program.
    static let messageLimit = PlainJSON.sizeLimit

    /// Makes a folder.
    ///
    /// - Parameters:
    ///   - seconds: how long the program may take.
    ///   - variables: the environment variables that say whose files the program reads.
    /// - Returns: the folder.
    /// - Throws: why it cannot be made.
    package static func make(seconds: Int, variables: [String] = []) throws(WitnessError) -> WitnessPlace {
        do throws(SystemError) {
            return WitnessPlace(
                folder: try PrivateFolder.make(named: "mdefaults-witness"), variables: variables,
                deadline: Clock.monotonicMicroseconds() + Int64(seconds) * 1_000_000)
        } catch {
            throw WitnessError(error)
        }
    }

    /// The path of a file in the folder.
    func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    /// The program's environment: the folder as home, and no session of the user's.
    var environment: [String] {
        let own = [
            "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=\(folder.path)", "TMPDIR=\(folder.path)",
            "XDG_RUNTIME_DIR=\(folder.path)", "XDG_CONFIG_DIRS=/etc/xdg", "DBUS_SESSION_BUS_ADDRESS=disabled:",
            "GSETTINGS_BACKEND=memory", "NO_AT_BRIDGE=1", "MOZ_CRASHREPORTER_DISABLE=1",
        ]
        return WitnessPlace.replacing(own, by: variables)
    }

    /// Environment variables, each as `NAME=VALUE`, with others in place of those of the same name, or besides.
    private static func replacing(_ variables: [String], by others: [String]) -> [String] {
        let names = others.map { Array($0.utf8.prefix { $0 != UInt8(ascii: "=") }) + [UInt8(ascii: "=")] }
        return variables.filter { line in !names.contains { line.utf8.starts(with: $0) } } + others
    }

    /// Starts a program that may write here.
    func start(_ path: String, _ arguments: [String]) throws(WitnessError) -> TalkingProcess {
        do throws(SystemError) {
            return try TalkingProcess.start(path, arguments, variables: environment, deadline: deadline)
        } catch {
            throw WitnessError(error)
        }
    }

    /// Runs a tool that asks the program's own library, and collects what it prints.
    ///
    /// - Parameters:
    ///   - path: the tool, as an absolute path.
    ///   - arguments: its command line without its name.
    ///   - variables: environment variables in place of those of ``environment`` or besides, each as `NAME=VALUE`.
    ///   - input: its standard input.
    /// - Returns: what it prints; `nil` if it fails.
    /// - Throws: why it could not be run to its end.
    func output(
        _ path: String, _ arguments: [String], variables: [String] = [], input: [UInt8]? = nil
    ) throws(WitnessError) -> [UInt8]? {
        guard Root.system.mayExist(path) else { throw WitnessError("it cannot be asked: there is no \(path)") }
        let left = (deadline - Clock.monotonicMicroseconds()) / 1_000
        do throws(SystemError) {
            let result = try Subprocess.run(
                "/usr/bin/env", ["-i"] + WitnessPlace.replacing(environment, by: variables) + [path] + arguments,
                input: input,
                timeoutMilliseconds: Int(max(left, 0)), limit: WitnessPlace.messageLimit)
            return result.status == 0 ? result.output : nil
        } catch {
            throw WitnessError(error)
        }
    }

    /// Removes the folder; what remains is in the error.
    package consuming func remove() throws(WitnessError) {
        do throws(SystemError) {
            try folder.remove()
        } catch {
            throw WitnessError("what it wrote was not removed: \(error)")
        }
    }
}
