import Foundation
import PropertyList
import Testing

struct DeleteTests {
    @Test func `removes a key, then a domain`() throws {
        let lab = try Lab()
        let before = try #require(try lab.stored("bob", "org.example.Player"))
        let key = try #require(before.keys.sorted().first)
        let result = try lab.run(as: "bob", ["delete", "org.example.Player", key.string])
        #expect(result.code == 0)
        #expect(result.error == "")
        #expect(try lab.stored("bob", "org.example.Player") == before.filter { $0.key != key })
        #expect(try lab.run(as: "bob", ["delete", "org.example.Player"]).code == 0)
        #expect(!FileManager.default.fileExists(atPath: lab.file(of: "bob", "org.example.Player")))
    }

    @Test(arguments: [
        ("delete org.example.Nope", "", "Domain (org.example.Nope) not found.\nDefaults have not been changed.\n"),
        (
            "remove org.example.Player Nope", "mdefaults: org.example.Player has no key Nope stored.\n",
            "Domain (org.example.Player) not found.\nDefaults have not been changed.\n"
        ),
        (
            "rename org.example.Player Nope New", "mdefaults: ",
            "Key Nope does not exist in domain org.example.Player; leaving defaults unchanged\n"
        ),
        ("export org.example.Nope -", "mdefaults: ", "The domain org.example.Nope does not exist\n"),
    ])
    func `what is not there is said in Apple's words`(_ line: String, _ front: String, _ text: String) throws {
        let lab = try Lab()
        let before = FileManager.default.contents(atPath: lab.file(of: "bob", "org.example.Player"))
        let result = try lab.run(as: "bob", line.split(separator: " ").map(String.init))
        #expect(result.error == front + text)
        #expect(result.code == 1)
        #expect(FileManager.default.contents(atPath: lab.file(of: "bob", "org.example.Player")) == before)
    }

    @Test func `renames over a value that is there`() throws {
        let lab = try Lab()
        for (key, value) in [("A", "1"), ("B", "2")] {
            #expect(try lab.run(as: "bob", ["write", "org.example.New", key, value]).code == 0)
        }
        #expect(try lab.run(as: "bob", ["rename", "org.example.New", "A", "B"]).code == 0)
        #expect(try lab.stored("bob", "org.example.New") == ["B": .string("1")])
        #expect(try lab.run(as: "bob", ["rename", "org.example.New", "B", "B"]).code == 0)
        #expect(try lab.stored("bob", "org.example.New") == ["B": .string("1")])
    }
}
