import Foundation
import Testing

@testable import MDPropertyList

struct URLArchiveTests {
    /// URLs without and with a base.
    static let archives = [
        URLArchive(relative: "https://example.com/a/b?q=1#f"), URLArchive(relative: "mailto:x@example.com"),
        URLArchive(relative: "c/d?x", bases: ["https://example.com/a/b"]), URLArchive(relative: "file:///.file/id=6.7"),
        URLArchive(relative: "https://example.com/" + String(repeating: "x", count: 300)),
        URLArchive(relative: "#", bases: ["https://example.com/%C3%A9"]),
    ]

    @Test(arguments: archives)
    func `what is written reads back`(_ archive: URLArchive) throws {
        let bytes = try #require(archive.bytes)
        #expect(URLArchive(bytes) == archive)
        #expect(archive.bytes == bytes)
    }

    @Test(arguments: archives)
    func `Foundation's unarchiver reads what is written`(_ archive: URLArchive) throws {
        let data = Data(try #require(archive.bytes))
        let url = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSURL.self, from: data))
        #expect(url.relativeString == archive.relative)
        #expect(url.baseURL?.absoluteString == archive.bases.first)
    }

    @Test(arguments: archives, [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func `what Foundation's archiver writes reads`(
        _ archive: URLArchive, _ format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let base = archive.bases.first.flatMap { URL(string: $0) }
        let url = try #require(NSURL(string: archive.relative, relativeTo: base))
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.outputFormat = format
        archiver.encode(url, forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        #expect(URLArchive(Array(archiver.encodedData)) == archive)
    }

    /// The objects of an archive of `https://example.com/`.
    static let objects: [Value] = [
        .string("$null"),
        .dictionary(["$class": uid(3), "NS.base": uid(0), "NS.relative": uid(2)]), .string("https://example.com/"),
        .dictionary(["$classname": .string("NSURL"), "$classes": .array([.string("NSURL"), .string("NSObject")])]),
    ]

    /// The UID of an object.
    static func uid(_ index: Int) -> Value { .dictionary(["CF$UID": .integer(index)]) }

    /// Reads an archive of some objects, some of its fields changed, in both encodings, which must agree.
    static func read(_ objects: [Value], _ fields: [Key: Value?] = [:]) throws -> URLArchive? {
        var root: [Key: Value] = [
            "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
            "$top": .dictionary(["root": uid(1)]),
            "$objects": .array(objects),
        ]
        for (key, value) in fields { root[key] = value }
        let archive = URLArchive(try BinaryWriter.write(.dictionary(root), writesUIDs: true))
        #expect(URLArchive(try XMLWriter.write(.dictionary(root))) == archive)
        return archive
    }

    @Test func `other forms of the same are read`() throws {
        let expected = URLArchive(relative: "https://example.com/")
        #expect(try URLArchiveTests.read(URLArchiveTests.objects) == expected)
        var objects = URLArchiveTests.objects
        objects[1] = .dictionary(["$class": URLArchiveTests.uid(3), "NS.relative": URLArchiveTests.uid(2)])
        #expect(try URLArchiveTests.read(objects) == expected)
        // A mutable string, as archives of Apple's systems may have, and bookmark data.
        objects[1] = .dictionary([
            "$class": URLArchiveTests.uid(3), "NS.relative": URLArchiveTests.uid(4), "NS.base": URLArchiveTests.uid(0),
            "NS.minimalBookmarkData": URLArchiveTests.uid(2),
        ])
        objects += [
            .dictionary(["$class": URLArchiveTests.uid(5), "NS.string": .string("https://example.com/")]),
            .dictionary(["$classname": .string("NSMutableString"), "$classes": .array([.string("NSString")])]),
        ]
        #expect(try URLArchiveTests.read(objects) == expected)
    }

    @Test(
        arguments: [
            (nil, ["$archiver": .string("Other")]), (nil, ["$archiver": nil]), (nil, ["$version": .integer(99_999)]),
            (nil, ["$top": .dictionary(["other": uid(1)])]), (nil, ["$top": .dictionary(["root": .integer(1)])]),
            (nil, ["$top": .dictionary(["root": uid(0)])]), (nil, ["$top": .dictionary(["root": uid(4)])]),
            (nil, ["$top": .dictionary(["root": uid(2)])]), (nil, ["$objects": nil]),
            (nil, ["$objects": .array([])]), (nil, ["$objects": .dictionary([:])]),
            (nil, ["$top": .dictionary(["root": .dictionary(["CF$UID": .integer(Integer(UInt64.max))])])]),
            // It is its own base; its text is itself; its class is another; there is none.
            (.dictionary(["$class": uid(3), "NS.base": uid(1), "NS.relative": uid(2)]), [:]),
            (.dictionary(["$class": uid(3), "NS.base": uid(0), "NS.relative": uid(1)]), [:]),
            (.dictionary(["$class": uid(2), "NS.base": uid(0), "NS.relative": uid(2)]), [:]),
            (.dictionary(["$class": uid(3), "NS.base": .string("x"), "NS.relative": uid(2)]), [:]),
            (.dictionary(["$class": uid(3), "NS.base": uid(2), "NS.relative": uid(2)]), [:]),
            (.dictionary(["NS.base": uid(0), "NS.relative": uid(2)]), [:]),
            (.dictionary(["$class": uid(3), "NS.base": uid(0), "NS.relative": .string("x")]), [:]),
            (.dictionary(["$class": uid(3)]), [:]), (.array([]), [:]),
        ] as [(Value?, [Key: Value?])])
    func `what is no archive of a URL is none`(_ url: Value?, _ fields: [Key: Value?]) throws {
        var objects = URLArchiveTests.objects
        if let url { objects[1] = url }
        #expect(try URLArchiveTests.read(objects, fields) == nil)
    }

    @Test func `an archive of another class is none`() throws {
        var objects = URLArchiveTests.objects
        objects[3] = .dictionary([
            "$classname": .string("NSTask"), "$classes": .array([.string("NSTask"), .string("NSURL")]),
        ])
        #expect(try URLArchiveTests.read(objects) == nil)
    }

    @Test func `bases are counted`() throws {
        let few = URLArchive(relative: "a", bases: Array(repeating: "b", count: 7) + ["http://h/"])
        #expect(URLArchive(try #require(few.bytes)) == few)
        #expect(URLArchive(relative: "a", bases: Array(repeating: "b", count: 9)).bytes == nil)
    }

    @Test func `every cut is refused, and no flipped bit does harm`() throws {
        let archive = URLArchiveTests.archives[2]
        let bytes = try #require(archive.bytes)
        for count in 0..<bytes.count { #expect(URLArchive(Array(bytes.prefix(count))) == nil) }
        for index in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << bit
                _ = URLArchive(damaged)
            }
        }
        #expect(URLArchive([]) == nil && URLArchive(Array("<plist><string>x</string></plist>".utf8)) == nil)
    }

    @Test func `no domain has a UID in it`() throws {
        let bytes = try #require(URLArchiveTests.archives[0].bytes)
        #expect(throws: PropertyListError.self) { try BinaryReader.read(bytes) }
        let uid = Value.dictionary(["CF$UID": .integer(5)])
        #expect(try BinaryReader.read(BinaryWriter.write(uid)).root.value == uid)
        for number: UInt64 in [0, 255, 256, 70_000, 1 << 40, .max] {
            let uid = Value.dictionary(["CF$UID": .integer(Integer(number))])
            let bytes = try BinaryWriter.write(uid, writesUIDs: true)
            #expect(try BinaryReader.read(bytes, readsUIDs: true).root.value == uid)
        }
    }
}
