import Foundation
import MDTestSupport
import Testing

@testable import MDPropertyList

/// The same files, read and written by us, by Python's plistlib and by CoreFoundation.
struct XMLDifferentialTests {
    /// A Python program that writes `count` random property lists, in XML and as JSON in the forms that we read.
    private static let generator = #"""
        import base64, datetime, json, math, plistlib, random, sys
        folder, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
        rnd = random.Random(seed)
        alphabet = list("abcXYZ019 _-./&<>\"';=(){}\\,") + ["\n", "\t", "é", "e\u0301", "😀", "\u2028", "\x7f", "\x85", "\ufffd", "]]>"]
        def text():
            return "".join(rnd.choice(alphabet) for _ in range(rnd.choice([0, 1, 3, 8, 40])))
        def value(depth):
            kind = rnd.randrange(9 if depth < 5 else 7)
            if kind == 0: return text()
            if kind == 1: return rnd.choice([True, False])
            if kind == 2: return rnd.choice([0, -1, 42, 2**31, -2**63, 2**63 - 1, 2**63, 2**64 - 1, rnd.getrandbits(40)])
            if kind == 3: return rnd.choice([0.5, -1e22, 1e-7, 1.7976931348623157e308, 5e-324, rnd.random(), math.inf, -math.inf, 2.0**53 + 2])
            if kind == 4: return datetime.datetime(rnd.randint(1, 9999), rnd.randint(1, 12), rnd.randint(1, 28), rnd.randrange(24), rnd.randrange(60), rnd.randrange(60))
            if kind == 5: return bytes(rnd.randrange(256) for _ in range(rnd.choice([0, 1, 2, 3, 57, 200])))
            if kind == 6: return text()
            if kind == 7: return [value(depth + 1) for _ in range(rnd.randrange(6))]
            return {text(): value(depth + 1) for _ in range(rnd.randrange(6))}
        def form(v):
            if isinstance(v, datetime.datetime): return {"$date": v.replace(tzinfo=None).isoformat().rjust(19, "0") + "Z"}
            if isinstance(v, bytes): return {"$data": base64.b64encode(v).decode()}
            if isinstance(v, float) and math.isinf(v): return {"$real": "inf" if v > 0 else "-inf"}
            if isinstance(v, list): return [form(e) for e in v]
            if isinstance(v, dict):
                result = {k: form(e) for k, e in v.items()}
                return {"$dict": result} if len(v) == 1 and list(v)[0].startswith("$") else result
            return v
        for index in range(count):
            v = {"k": value(0), "l": value(0)}
            with open(f"{folder}/{index}.plist", "wb") as f: plistlib.dump(v, f, sort_keys=rnd.random() < 0.5)
            with open(f"{folder}/{index}.json", "w") as f: json.dump(form(v), f)
        """#

    /// A Python program that says whether each pair of files holds equal property lists.
    private static let comparer = """
        import plistlib, sys
        def same(a, b):
            if type(a) is not type(b): return False
            if isinstance(a, dict): return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
            if isinstance(a, list): return len(a) == len(b) and all(map(same, a, b))
            return a == b
        folder, count = sys.argv[1], int(sys.argv[2])
        for index in range(count):
            with open(f"{folder}/{index}.plist", "rb") as f: a = plistlib.load(f)
            with open(f"{folder}/{index}-ours.plist", "rb") as f: b = plistlib.load(f)
            if not same(a, b): print(index, a, b)
        """

    @Test(.enabled(if: ForeignTool.python3 != nil, "python3 is not installed"))
    func `what plistlib writes we read, and what we write plistlib and CoreFoundation read`() throws {
        let python = try #require(ForeignTool.python3)
        let folder = try TemporaryFolder()
        let count = 150
        let script = try folder.write(Array(Self.generator.utf8), as: "generate.py")
        #expect(try ForeignTool.run(python, [script, folder.path, "\(count)", "2026"]).status == 0)
        var written: [String] = []
        for index in 0..<count {
            let bytes = try folder.read("\(index).plist")
            let value = try Document.read(bytes).root.value
            let expected = try Document.read(folder.read("\(index).json"), as: .json).root.value
            #expect(value == expected, "file \(index)")
            written.append(try folder.write(XMLWriter.write(value), as: "\(index)-ours.plist"))
            #expect(try Document.read(folder.read("\(index)-ours.plist")).root.value == value, "file \(index)")
        }
        let compare = try folder.write(Array(Self.comparer.utf8), as: "compare.py")
        let (status, output) = try ForeignTool.run(python, [compare, folder.path, "\(count)"])
        #expect(status == 0)
        #expect(output == "")
        guard let plutil = ForeignTool.plutil else { return }
        #expect(try ForeignTool.run(plutil, ["-lint", "-s"] + written).status == 0)
        // CoreFoundation's own text of our files reads as the same values again.
        for index in 0..<20 {
            let copy = "\(folder.path)/\(index)-theirs.plist"
            #expect(try ForeignTool.run(plutil, ["-convert", "xml1", "-o", copy, written[index]]).status == 0)
            #expect(
                try Document.read(folder.read("\(index)-theirs.plist")).root.value
                    == Document.read(folder.read("\(index)-ours.plist")).root.value, "file \(index)")
        }
    }

    /// A Python program that names the files that plistlib reads.
    private static let loader = """
        import plistlib, sys
        for name in sys.argv[1:]:
            try:
                with open(name, "rb") as f: plistlib.load(f)
                print(name)
            except Exception: pass
        """

    /// Texts within `<plist>`, and which programs read them; with the reason if they differ.
    private static let judged: [(text: String, ours: Bool, coreFoundation: Bool, plistlib: Bool, why: String)] = [
        ("<dict><key>a</key><true/></dict>", true, true, true, ""),
        ("<string>&lt;&#65;<![CDATA[<]]></string>", true, true, true, ""),
        ("<integer>0x1F</integer>", true, true, true, ""), ("<integer>-5</integer>", true, true, true, ""),
        ("<integer>x</integer>", false, false, false, ""), ("<real>1.5e3</real>", true, true, true, ""),
        ("<real>x</real>", false, false, false, ""), ("<dict><true/></dict>", false, false, false, ""),
        ("<dict><key>a</key></dict>", false, false, false, ""), ("<array><true></array>", false, false, false, ""),
        ("<set/>", false, false, true, "plistlib skips what it does not know"),
        ("<string>&foo;</string>", false, false, false, ""),
        ("<string>&#xD800;</string>", false, false, false, ""),
        ("", false, false, true, "plistlib takes an empty <plist> for None"),
        ("<date>2026-11-20</date>", false, false, false, ""),
        ("<date>2026-02-30T08:00:00Z</date>", false, true, false, "CoreFoundation turns this into the 2nd of March"),
        ("<date>12026-11-20T08:00:00Z</date>", false, true, false, "CoreFoundation has years beyond 9999"),
        ("<integer>18446744073709551616</integer>", false, false, true, "Python's integers have no end"),
        ("<integer> 5 </integer>", true, false, true, "CoreFoundation refuses blanks; editors put them there"),
        ("<integer>+ 5</integer>", false, true, false, "a sign belongs to its digits"),
        ("<real> 1.5 </real>", true, false, true, "as for integers"),
        ("<real>1e400</real>", false, true, true, "others take what does not fit for infinity"),
        ("<data>AQ!I=</data>", false, true, true, "others skip what is no base64"),
        ("<data>AQI</data>", false, true, false, "CoreFoundation does without padding"),
        ("<dict><key>a</key><key>b</key></dict>", false, true, false, "CoreFoundation takes a key for a string"),
        ("<true>x</true>", false, false, true, "plistlib does not look"),
        ("<true> </true>", true, false, true, "blanks mean nothing here"),
        ("<array a='b'/>", false, true, true, "attributes mean nothing in property lists"),
        ("<string>a]]></string>", false, true, false, "XML forbids it"),
        ("<!-- a -- b --><true/>", false, true, false, "XML forbids it"),
        ("<string>\u{1}</string>", false, true, false, "XML forbids it"),
        ("<string>&#0;</string>", false, true, false, "XML forbids it"),
        ("<string>a<!-- x -->b</string>", false, false, true, "is the text whole or not?"),
    ]

    @Test(
        .enabled(
            if: ForeignTool.python3 != nil && ForeignTool.plutil != nil, "python3 or plutil is not installed"))
    func `refuses what others refuse, and more if leniency hides an error`() throws {
        let (python, plutil) = (try #require(ForeignTool.python3), try #require(ForeignTool.plutil))
        let folder = try TemporaryFolder()
        var files: [String] = []
        for (index, judged) in Self.judged.enumerated() {
            let content = judged.text.isEmpty ? "" : "<array>\(judged.text)</array>"
            files.append(
                try folder.write(Array("<plist version=\"1.0\">\(content)</plist>".utf8), as: "\(index).plist"))
        }
        let script = try folder.write(Array(Self.loader.utf8), as: "load.py")
        let readByPython = try ForeignTool.run(python, [script] + files).output.split(separator: "\n").map(String.init)
        let readByCoreFoundation = try ForeignTool.run(plutil, ["-lint"] + files).output
        for (file, (text, ours, coreFoundation, plistlib, why)) in zip(files, Self.judged) {
            let read = (try? Document.read(folder.read(URL(fileURLWithPath: file).lastPathComponent), as: .xml)) != nil
            #expect(read == ours, "\(text) \(why)")
            #expect(readByCoreFoundation.contains("\(file): OK") == coreFoundation, "\(text) \(why)")
            #expect(readByPython.contains(file) == plistlib, "\(text) \(why)")
        }
    }
}

/// OpenStep text, read by us, by CoreFoundation and by GNUstep.
struct OpenStepDifferentialTests {
    @Test(.enabled(if: ForeignTool.plutil != nil, "plutil is not installed"))
    func `octal escapes mean what CoreFoundation means`() throws {
        let plutil = try #require(ForeignTool.plutil)
        let folder = try TemporaryFolder()
        let codes = (0x80...0xfd).map { String($0, radix: 8) }
        let text = "{ a = (" + codes.map { "\"\\\($0)\"" }.joined(separator: ", ") + "); }"
        let file = try folder.write(Array(text.utf8), as: "octal.plist")
        let (status, output) = try ForeignTool.run(plutil, ["-convert", "xml1", "-o", "-", file])
        #expect(status == 0)
        #expect(
            try Document.read(Array(output.utf8)).root.value
                == OpenStepReader.read(SourceText(decoding: Array(text.utf8))).root.value)
    }

    /// What GNUstep writes for a value in one of its formats.
    ///
    /// Beyond U+FFFF, GNUstep writes `\UD83D\UDE00` even into XML; those are backslashes for every other reader.
    private func gnustep(_ format: String, of value: Value) throws -> [UInt8] {
        let plser = try #require(ForeignTool.plser)
        let folder = try TemporaryFolder()
        let file = try folder.write(XMLWriter.write(value), as: "x.plist")
        return Array(try ForeignTool.run(plser, [file, "-Format", format]).output.utf8)
    }

    @Test(
        .enabled(if: ForeignTool.plser != nil, "GNUstep's tools are not installed"),
        arguments: ["NSPropertyListGNUstepFormat", "NSPropertyListXMLFormat_v1_0", "NSPropertyListOpenStepFormat"])
    func `what GNUstep writes we read`(_ format: String) throws {
        let value = Value.dictionary([
            "name": .string("Zoë \"x\" \\ y"), "n": .integer(-42), "r": .real(1.5), "t": .boolean(true),
            "when": .date(816_854_400), "d": .data([1, 2, 3]),
            "l": .array([.string("a"), .dictionary(["b": .string("c d")])]),
        ])
        let document = try Document.read(gnustep(format, of: value))
        if format == "NSPropertyListOpenStepFormat" {
            #expect(document.root.value != value, "the format has no numbers")
            #expect(document.root.entries?.count == 7)
        } else {
            #expect(document.root.value == value)
        }
    }
}
