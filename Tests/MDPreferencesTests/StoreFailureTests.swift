import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPreferences

/// The errors of a store if the disk, the folder or the file system refuses.
struct StoreFailureTests {
    /// The domain of the tests.
    private let place = StoredPlace(domain: "org.x", host: .anyHost)

    @Test(.enabled(if: StoreProgram.canMount, "no file system can be mounted here"))
    func `a full disk is an error, the old file stays whole and nothing is left behind`() throws {
        let home = try TemporaryFolder()
        let result = try StoreProgram.runMounting(
            """
            mount -t tmpfs -o size=200k,mode=700 none '\(home.path)'
            cd '\(home.path)'
            $program text . small 1000
            sum=$(cksum < .config/org.x.plist)
            dd if=/dev/zero of=filling bs=4k 2>/dev/null || true
            $program text . big 10000 && exit 3
            $program text . big 1 && exit 4
            [ "$sum" = "$(cksum < .config/org.x.plist)" ]
            ls -A .config
            rm filling
            $program text . big 10000
            """.replacingOccurrences(of: "text .", with: "text '\(home.path)'"))
        #expect(result.code == 0, "\(result.output) \(result.error)")
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 6)
        #expect(lines.first == "saved")
        for line in lines.dropFirst().prefix(2) {
            #expect(line.hasPrefix("Cannot") && line.hasSuffix(": No space left on device."), "\(line)")
        }
        #expect(lines.suffix(3) == [".managed-defaults.lock", "org.x.plist", "saved"])
    }

    @Test func `a limit of file size is an error and not the end of the process`() throws {
        let home = try TemporaryFolder()
        #expect(try StoreProgram.run("text", home, ["small", "100"]).output == "saved\n")
        let before = try home.bytes(at: ".config/org.x.plist")
        // The unit is 512 bytes in this shell. The kernel's answer to a full quota, EDQUOT, has the same effect.
        let result = try SpawnedProgram.run(
            "/bin/sh", ["-c", "ulimit -f 8; exec '\(StoreProgram.path)' text '\(home.path)' big 100000"])
        #expect(result.code == 1)
        #expect(result.output == "Cannot write \(home.config)/org.x.plist: File too large.\n")
        #expect(try home.bytes(at: ".config/org.x.plist") == before)
        #expect(try home.names() == ["org.x.plist"])
    }

    @Test(.enabled(if: StoreProgram.canMount, "no file system can be mounted here"))
    func `a folder that is mounted read-only is an error`() throws {
        let home = try TemporaryFolder()
        #expect(try StoreProgram.run("text", home, ["small", "100"]).output == "saved\n")
        let before = try home.bytes(at: ".config/org.x.plist")
        let result = try StoreProgram.runMounting(
            """
            mount --bind '\(home.path)' '\(home.path)'
            mount -o remount,ro,bind '\(home.path)'
            $program text '\(home.path)' small 200
            """)
        #expect(result.code == 1)
        #expect(result.output.hasSuffix(": Read-only file system.\n"), "\(result.output)")
        #expect(try home.bytes(at: ".config/org.x.plist") == before)
    }

    @Test func `a home that is missing is an error that says so, and is not made`() throws {
        let home = try TemporaryFolder()
        try FileManager.default.removeItem(atPath: home.path)
        let storage = FileStorage(home.preferences())
        #expect(try storage.read(place).isMissing)
        let error = #expect(throws: PreferencesError.self) {
            try storage.save(place, ["a": .integer(1)], replacing: false)
        }
        #expect(error == .homeMissing(path: home.path))
        #expect(!FileManager.default.fileExists(atPath: home.path))
    }

    @Test(arguments: [ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL])
    func `a file system without locks is an error that says so`(code: Int32) throws {
        let home = try TemporaryFolder()
        var directory = home.preferences()
        _ = try directory.update("org.x", host: .anyHost, ["a": .integer(1)])
        let before = try home.bytes(at: ".config/org.x.plist")
        directory.acquireLock = { (root, path, _) throws(SystemError) in
            throw SystemError(operation: "lock", path: path, code: code)
        }
        let storage = FileStorage(directory)
        let error = #expect(throws: PreferencesError.self) {
            try storage.save(place, ["a": .integer(2)], replacing: false)
        }
        #expect(error?.description.contains("has no locks") == true, "\(String(describing: error))")
        #expect(try home.bytes(at: ".config/org.x.plist") == before)
        #expect(try storage.read(place).values == ["a": .integer(1)])
    }
}
