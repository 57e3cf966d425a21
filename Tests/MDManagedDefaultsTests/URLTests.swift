import Foundation
import MDTestSupport
import ManagedDefaults
import Testing

/// URLs of a user whose home directory is `/home/pupil`.
struct URLTests {
    /// The working directory, with one slash at its end.
    private static let here =
        FileManager.default.currentDirectoryPath == "/" ? "/" : FileManager.default.currentDirectoryPath + "/"

    /// A machine without policy.
    let machine: TemporaryMachine
    /// The user's defaults.
    let defaults: ManagedDefaults

    init() throws {
        machine = try TemporaryMachine(policy: #"{ "Identifier": "org.example.lab" }"#)
        try machine.write(
            "pupil:x:\(geteuid()):\(getegid()):Pupil:/home/pupil/:/bin/sh\nother:x:999999:9:O:/srv/other:/bin/sh\n",
            to: "etc/passwd")
        defaults = try machine.open()
    }

    @Test(
        arguments: [
            ("file:///home/pupil/a%20b/c.txt", "~/a b/c.txt"), ("file:///home/pupil", "~"),
            ("file:///home/pupil/", "~"),
            ("file:///home/pupils/x", "/home/pupils/x"), ("file:///etc/hosts", "/etc/hosts"), ("file:///", "/"),
            ("file://localhost/srv/x", "/srv/x"), ("file:///home/pupil/%C3%A9", "~/é"),
        ])
    func `a file URL is stored as its path`(_ url: String, _ stored: String) throws {
        let url = try #require(URL(string: url))
        #expect(defaults.set(url, forKey: "U") == .stored)
        #expect(defaults.object(forKey: "U") as? String == stored)
        #expect(defaults.url(forKey: "U")?.path == url.path)
    }

    @Test func `a relative file URL is stored as its absolute path`() throws {
        let url = URL(string: "x/y", relativeTo: URL(fileURLWithPath: "/home/pupil/dir/", isDirectory: true))
        #expect(defaults.set(url, forKey: "U") == .stored)
        #expect(defaults.string(forKey: "U") == "~/dir/x/y")
    }

    @Test(
        arguments: [
            "https://example.com/a/b?q=1#f", "mailto:x@example.com", "urn:isbn:1", "file:///.file/id=6571367.1234",
            "file://server/share", "file:///a%2Fb", "file:///%00x", "file:///%FFx", "file:x", "x/y", "data:,\u{e9}",
        ])
    func `any other URL is stored as an archive that Foundation reads`(_ text: String) throws {
        let url = try #require(URL(string: text))
        #expect(defaults.set(url, forKey: "U") == .stored)
        let data = try #require(defaults.data(forKey: "U"))
        let foreign = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSURL.self, from: data)
        #expect(foreign?.relativeString == url.relativeString)
        #expect(defaults.url(forKey: "U") == url)
        #expect(defaults.synchronize())
        #expect(try machine.open().url(forKey: "U") == url)
    }

    @Test func `a relative URL keeps its base`() throws {
        let url = try #require(URL(string: "c?d", relativeTo: URL(string: "https://example.com/a/b")))
        #expect(defaults.set(url, forKey: "U") == .stored)
        let read = try #require(defaults.url(forKey: "U"))
        #expect(read.relativeString == "c?d" && read.baseURL == url.baseURL && read.absoluteURL == url.absoluteURL)
        let foreign = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: NSURL.self, from: try #require(defaults.data(forKey: "U")))
        #expect(foreign?.baseURL?.absoluteString == "https://example.com/a/b")
    }

    @Test func `what Foundation archived is read`() throws {
        let url = try #require(NSURL(string: "x", relativeTo: URL(string: "https://example.com/")))
        let data = try NSKeyedArchiver.archivedData(withRootObject: url, requiringSecureCoding: true)
        defaults.set(data, forKey: "U")
        #expect(defaults.url(forKey: "U")?.absoluteString == "https://example.com/x")
    }

    @Test func `no URL removes the key`() {
        defaults.set(URL(string: "https://example.com"), forKey: "U")
        #expect(defaults.set(nil as URL?, forKey: "U") == .stored)
        #expect(defaults.object(forKey: "U") == nil)
        #expect(defaults.url(forKey: "U") == nil)
    }

    @Test(
        arguments: [
            ("~", "/home/pupil"), ("~/x/é", "/home/pupil/x/é"), ("~//x", "/home/pupil//x"),
            ("/etc/hosts", "/etc/hosts"),
            ("~other/x", "/srv/other/x"), ("~other", "/srv/other"),
            // A text is a path, as on Apple's systems, whatever it looks like.
            ("https://example.com", here + "https://example.com"),
            ("a/b", here + "a/b"),
        ])
    func `a text is the path of a file`(_ text: String, _ path: String) throws {
        defaults.set(text, forKey: "U")
        let url = try #require(defaults.url(forKey: "U"))
        #expect(url.isFileURL && url.path == path)
    }

    @Test func `a directory's URL ends with a slash`() {
        defaults.set("/etc", forKey: "U")
        #expect(defaults.url(forKey: "U") == URL(fileURLWithPath: "/etc", isDirectory: true))
    }

    @Test func `foreign values are no URL`() throws {
        let values: [Any] = [
            "", "a\0b", "~nobody-of-this-machine/x", 5, true, ["https://example.com"], ["NS.relative": "x"], Data(),
            Data("https://example.com".utf8), Data(repeating: 0xff, count: 100_000), Data("bplist00".utf8),
            try NSKeyedArchiver.archivedData(withRootObject: NSArray(array: ["x"]), requiringSecureCoding: true),
            try NSKeyedArchiver.archivedData(withRootObject: NSDate(), requiringSecureCoding: true), Date(),
        ]
        for value in values {
            defaults.set(value, forKey: "U")
            #expect(defaults.object(forKey: "U") != nil)
            #expect(defaults.url(forKey: "U") == nil, "\(value)")
        }
    }

    @Test func `a URL that is too long is refused`() {
        let url = URL(string: "https://example.com/" + String(repeating: "x", count: 17 << 20))
        guard case .invalid = defaults.set(url, forKey: "U") else {
            Issue.record("it was stored")
            return
        }
        #expect(defaults.object(forKey: "U") == nil)
    }

    @Test func `a forced URL stays`() throws {
        let machine = try TemporaryMachine(
            policy: #"""
                { "Identifier": "org.example.lab", "Forced": { "org.example.Browser": { "Folder": "~/Exam" } } }
                """#)
        let defaults = try machine.open()
        guard case .refused = defaults.set(URL(string: "https://example.com"), forKey: "Folder") else {
            Issue.record("it was stored")
            return
        }
        #expect(defaults.url(forKey: "Folder")?.path == "/home/pupil/Exam")
    }
}
