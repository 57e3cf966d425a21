import MDPlatform
import MDPolicyModel
import MDPropertyList

extension HostFacts {
    /// The most bytes of a facts file: a few hundred thousand users.
    package static let sizeLimit = 32 << 20

    /// Reads a facts file.
    ///
    /// - Parameter bytes: the whole file.
    /// - Throws: the first thing that is wrong with it.
    package convenience init(reading bytes: [UInt8]) throws(HostFactsError) {
        let document: Document
        let root: [Node.Entry]
        do {
            document = try Document.read(
                bytes, as: .json,
                limits: Limits(
                    bytes: HostFacts.sizeLimit, depth: Limits.standard.depth, objects: Limits.standard.objects))
            root = try document.rootEntries()
        } catch {
            throw HostFactsError(Printable.escape(error.message), at: error.position)
        }
        let facts = try FactsReader(document: document).facts(root)
        self.init(
            host: facts.host, tags: facts.tags, timeZone: facts.timeZone, users: facts.users, groups: facts.groups,
            policy: facts.policy)
    }
}

/// Reads the fields of a facts file.
private struct FactsReader {
    /// The fields at the top.
    private static let fields = ["Host", "Tags", "TimeZone", "Users", "Groups", "Policy"]
    /// The fields of a policy file.
    private static let fileFields = ["Name", "Identifier", "SHA256", "Temporary", "Fleet"]
    /// The fields of a user.
    private static let userFields = ["UID", "Groups", "Home", "Directory"]
    /// The first of the ids for groups and users without one; no system assigns such ids.
    private static let firstFreeID: UInt32 = 4_200_000_000

    /// The document, for positions.
    let document: Document

    /// Reads everything.
    func facts(_ root: [Node.Entry]) throws(HostFactsError) -> HostFacts {
        let fields = try dictionary(root, FactsReader.fields, in: "a facts file")
        guard let name = fields["Host"] else {
            throw HostFactsError("the field Host is missing", at: document.position(of: document.root.offset))
        }
        guard let host = HostName(try string(name, "Host")) else {
            throw error(at: name, "Host cannot be the name of a host")
        }
        var groups = GroupList(next: FactsReader.firstFreeID)
        if let node = fields["Groups"] {
            guard let entries = node.entries else { throw error(at: node, "Groups must be a dictionary of ids") }
            for entry in entries { groups.add(entry.key, id: try id(entry.value, "the id of a group")) }
        }
        var users: [Account] = []
        if let node = fields["Users"] {
            guard let entries = node.entries else { throw error(at: node, "Users must be a dictionary of users") }
            for (index, entry) in entries.enumerated() {
                let free = FactsReader.firstFreeID &+ UInt32(truncatingIfNeeded: index)
                users.append(try user(entry, free: free, &groups))
            }
        }
        return HostFacts(
            host: host, tags: Set(try strings(fields["Tags"], "Tags").map { Key($0) }),
            timeZone: try fields["TimeZone"].map { node throws(HostFactsError) in try zone(node) },
            users: users, groups: groups.groups, policy: try policy(fields["Policy"]))
    }

    /// Reads the policy files in force; `nil` if the field is missing.
    private func policy(_ node: Node?) throws(HostFactsError) -> [HostFacts.FileInForce]? {
        guard let node else { return nil }
        guard let elements = node.elements else { throw error(at: node, "Policy must be an array of files") }
        var files: [HostFacts.FileInForce] = []
        for element in elements {
            guard let entries = element.entries else { throw error(at: element, "a file must be a dictionary") }
            let fields = try dictionary(entries, FactsReader.fileFields, in: "a file")
            guard let name = fields["Name"], let digest = fields["SHA256"] else {
                throw error(at: element, "a file needs Name and SHA256")
            }
            guard let sum = Digest(hex: try string(digest, "SHA256")) else {
                throw error(at: digest, "SHA256 must be 64 hexadecimal digits")
            }
            let word = try string(name, "Name")
            if let reason = PolicyFileName.reasonToIgnore(word) { throw error(at: name, "no file: the name \(reason)") }
            files.append(
                HostFacts.FileInForce(
                    name: Key(word),
                    identifier: try fields["Identifier"].map { node throws(HostFactsError) in
                        try string(node, "Identifier")
                    } ?? PolicyFileName.stem(of: word), digest: sum,
                    isTemporary: try flag(fields["Temporary"], "Temporary"),
                    isOfFleet: try flag(fields["Fleet"], "Fleet")))
        }
        return files
    }

    /// Reads a user.
    private func user(
        _ entry: Node.Entry, free: UInt32, _ groups: inout GroupList
    ) throws(HostFactsError) -> Account {
        let name = entry.key.string
        guard let entries = entry.value.entries else { throw error(at: entry.value, "a user must be a dictionary") }
        let fields = try dictionary(entries, FactsReader.userFields, in: "a user")
        let uid = try fields["UID"].map { node throws(HostFactsError) in try id(node, "UID") } ?? free
        var primary: UInt32?
        for group in try strings(fields["Groups"], "Groups") {
            let gid = groups.id(of: Key(group))
            if primary == nil { primary = gid } else { groups.enrol(name, in: Key(group)) }
        }
        let home = try fields["Home"].map { node throws(HostFactsError) in try string(node, "Home") } ?? "/home/\(name)"
        // Without any group the user gets one without other members.
        var user = Account(name: name, uid: uid, gid: primary ?? groups.free(), fullName: "", home: home)
        (user.isIDKnown, user.isHomeKnown) = (fields["UID"] != nil, fields["Home"] != nil)
        user.isFromNameService = try flag(fields["Directory"], "Directory")
        return user
    }

    /// A truth value; false if the field is missing.
    private func flag(_ node: Node?, _ name: String) throws(HostFactsError) -> Bool {
        guard let node else { return false }
        guard case .scalar(.boolean(let flag)) = node.content else {
            throw error(at: node, "\(name) must be true or false")
        }
        return flag
    }

    /// The fields of a dictionary, each known and given once.
    private func dictionary(
        _ entries: [Node.Entry], _ known: [String], in place: String
    ) throws(HostFactsError) -> [String: Node] {
        var result: [String: Node] = [:]
        for entry in entries {
            let shown = Printable.escape(entry.key.string)
            let position = document.position(of: entry.keyOffset)
            guard known.contains(entry.key.string) else {
                throw HostFactsError(
                    "\(place) has no field \"\(shown)\"; there are \(known.joined(separator: ", "))", at: position)
            }
            guard result.updateValue(entry.value, forKey: entry.key.string) == nil else {
                throw HostFactsError("the field \(shown) stands twice", at: position)
            }
        }
        return result
    }

    /// The text of a string.
    private func string(_ node: Node, _ name: String) throws(HostFactsError) -> String {
        guard case .scalar(.string(let text)) = node.content, !text.isEmpty else {
            throw error(at: node, "\(name) must be a string that is not empty")
        }
        return text
    }

    /// The name of a time zone.
    private func zone(_ node: Node) throws(HostFactsError) -> Key {
        let name = try string(node, "TimeZone")
        guard ZoneDatabase.isName(name) else { throw error(at: node, "TimeZone cannot be the name of a time zone") }
        return Key(name)
    }

    /// The texts of an array; none if the field is missing.
    private func strings(_ node: Node?, _ name: String) throws(HostFactsError) -> [String] {
        guard let node else { return [] }
        guard let elements = node.elements else { throw error(at: node, "\(name) must be an array of strings") }
        var result: [String] = []
        for element in elements { result.append(try string(element, "an item of \(name)")) }
        return result
    }

    /// The number of a user or group.
    private func id(_ node: Node, _ name: String) throws(HostFactsError) -> UInt32 {
        guard case .scalar(.integer(let number)) = node.content, let id = number.int64.flatMap({ UInt32(exactly: $0) })
        else {
            throw error(at: node, "\(name) must be a number from 0 to 4294967295")
        }
        return id
    }

    /// An error at a node.
    private func error(at node: Node, _ message: String) -> HostFactsError {
        HostFactsError(message, at: document.position(of: node.offset))
    }
}

/// Groups as they are named one after the other.
private struct GroupList {
    /// The next unused id.
    var next: UInt32
    /// The ids by name.
    private var ids: [Key: UInt32] = [:]
    /// The names in the order of their first appearance.
    private var names: [Key] = []
    /// The members of each group beside the users whose primary group it is.
    private var members: [Key: [String]] = [:]

    /// Makes a list without groups.
    init(next: UInt32) {
        self.next = next
    }

    /// Adds a group of a known id.
    mutating func add(_ name: Key, id: UInt32) {
        if ids.updateValue(id, forKey: name) == nil { names.append(name) }
    }

    /// An id that no group has.
    mutating func free() -> UInt32 {
        defer { next &+= 1 }
        return next
    }

    /// The id of a group, which is added if it is new.
    mutating func id(of name: Key) -> UInt32 {
        if let id = ids[name] { return id }
        let id = free()
        add(name, id: id)
        return id
    }

    /// Puts a user into a group.
    mutating func enrol(_ user: String, in name: Key) {
        members[name, default: []].append(user)
    }

    /// The groups.
    var groups: [AccountGroup] {
        names.map { AccountGroup(name: $0.string, gid: ids[$0] ?? 0, members: members[$0] ?? []) }
    }
}
