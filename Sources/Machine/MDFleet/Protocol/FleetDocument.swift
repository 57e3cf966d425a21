package import MDPlatform
package import MDPropertyList

/// Reads a small JSON document of a fleet: strict, bounded, with the place of what is wrong.
///
/// A member that is not known is passed over, so that a later version can add one; a duplicate is refused.
package struct FleetDocument {
    private let document: Document
    private let members: [Key: Node]
    /// The place of the dictionary.
    private let offset: Int

    /// Parses a document.
    ///
    /// - Parameters:
    ///   - bytes: the document.
    ///   - limit: the most bytes that it may have.
    /// - Throws: the first thing that is wrong, with its place.
    package init(_ bytes: [UInt8], limit: Int) throws(FleetFault) {
        guard bytes.count <= limit else { throw FleetFault("it has more than \(limit) bytes") }
        do throws(PropertyListError) {
            document = try JSONReader.readPlain(
                SourceText(decoding: bytes), limits: Limits(bytes: limit, depth: 8, objects: limit))
            if let warning = document.warnings.first { throw warning }
            members = FleetDocument.members(try document.rootEntries())
            offset = 0
        } catch {
            throw FleetFault(error.message, at: error.position)
        }
    }

    /// Takes a dictionary within a document.
    private init?(_ document: Document, _ node: Node) {
        guard let entries = node.entries else { return nil }
        (self.document, members, offset) = (document, FleetDocument.members(entries), node.offset)
    }

    private static func members(_ entries: [Node.Entry]) -> [Key: Node] {
        Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first }
    }

    /// The names of all members, in byte order.
    package var names: [Key] { members.keys.sorted() }

    /// A dictionary within the document; `nil` if it is missing.
    package func dictionary(_ name: String, atMost count: Int) throws(FleetFault) -> FleetDocument? {
        guard let node = members[Key(name)] else { return nil }
        guard let inner = FleetDocument(document, node), inner.members.count <= count else {
            throw fault(name, "this is no dictionary of at most \(count) members")
        }
        return inner
    }

    /// The dictionaries of a list; `nil` if it is missing.
    package func dictionaries(_ name: String, atMost count: Int) throws(FleetFault) -> [FleetDocument]? {
        guard let node = members[Key(name)] else { return nil }
        guard let elements = node.elements, elements.count <= count else {
            throw fault(name, "this is no list of at most \(count) dictionaries")
        }
        var result: [FleetDocument] = []
        for element in elements {
            guard let inner = FleetDocument(document, element) else {
                throw FleetFault("\(name): an element is no dictionary", at: document.position(of: element.offset))
            }
            result.append(inner)
        }
        return result
    }

    /// The error of a member, with its place; that of one that is missing has the place of its dictionary.
    package func fault(_ name: String, _ message: String) -> FleetFault {
        FleetFault("\(name): \(message)", at: document.position(of: members[Key(name)]?.offset ?? offset))
    }

    /// The value of a member; `nil` if it is missing.
    package func value(_ name: String) -> Value? { members[Key(name)]?.value }

    /// A text of at most so many bytes; `nil` if it is missing.
    package func text(_ name: String, limit: Int = 256) throws(FleetFault) -> String? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value, text.utf8.count <= limit else {
            throw fault(name, "this is no text of at most \(limit) bytes")
        }
        return text
    }

    /// An absolute path; `nil` if the member is missing.
    package func path(_ name: String) throws(FleetFault) -> String? {
        guard let text = try text(name, limit: 4_096) else { return nil }
        guard text.utf8.first == UInt8(ascii: "/"), text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
            throw fault(name, "this is no absolute path")
        }
        return text
    }

    /// A whole number from 0 to 2^53; `nil` if it is missing.
    package func count(_ name: String) throws(FleetFault) -> Int? {
        guard let value = value(name) else { return nil }
        guard case .integer(let number) = value, let count = number.int64, (0...(1 << 53)).contains(count) else {
            throw fault(name, "this is no whole number from 0 to 2^53")
        }
        return Int(count)
    }

    /// A truth value; `nil` if it is missing.
    package func truth(_ name: String) throws(FleetFault) -> Bool? {
        guard let value = value(name) else { return nil }
        guard case .boolean(let truth) = value else { throw fault(name, "this is neither true nor false") }
        return truth
    }

    /// A time in RFC 3339; `nil` if it is missing.
    package func time(_ name: String) throws(FleetFault) -> Timestamp? {
        guard let text = try text(name) else { return nil }
        guard let time = Timestamp(rfc3339: text) else { throw fault(name, "this is no time") }
        return time
    }

    /// A digest in 64 hexadecimal digits; `nil` if it is missing.
    package func digest(_ name: String) throws(FleetFault) -> Digest? {
        guard let text = try text(name) else { return nil }
        guard let digest = Digest(hex: text) else { throw fault(name, "this is no SHA-256 in hexadecimal digits") }
        return digest
    }

    /// Texts of at most so many bytes each; `nil` if the member is missing.
    package func texts(_ name: String, atMost count: Int, limit: Int = 256) throws(FleetFault) -> [String]? {
        guard let value = value(name) else { return nil }
        guard case .array(let elements) = value, elements.count <= count else {
            throw fault(name, "this is no list of at most \(count) texts")
        }
        var texts: [String] = []
        for element in elements {
            guard case .string(let text) = element, text.utf8.count <= limit else {
                throw fault(name, "an element is no text of at most \(limit) bytes")
            }
            texts.append(text)
        }
        return texts
    }

    /// A member that must be there.
    package func required<Value>(_ name: String, _ value: Value?) throws(FleetFault) -> Value {
        guard let value else {
            throw FleetFault("\(name) is missing", at: document.position(of: offset))
        }
        return value
    }
}

extension FleetDocument {
    /// Reads a file that only its machine's administrator could have written.
    ///
    /// - Parameters:
    ///   - root: the machine.
    ///   - path: the file.
    ///   - limit: the most bytes that it may have.
    ///   - parse: reads the content.
    /// - Returns: what was read; `nil` if there is no such file.
    /// - Throws: why the file is not trusted, cannot be read or is wrong, with its place.
    static func readTrusted<Content>(
        _ root: Root, _ path: String, limit: Int, _ parse: ([UInt8]) throws(FleetFault) -> Content
    ) throws(FleetFault) -> Content? {
        let bytes: [UInt8]
        do throws(TrustError) {
            bytes = try root.readTrusted(path, limit: limit).bytes
        } catch {
            if error.isMissing { return nil }
            throw FleetFault("\(error)")
        }
        do throws(FleetFault) {
            return try parse(bytes)
        } catch {
            throw FleetFault("\(root.display(path)): \(error)")
        }
    }
}
