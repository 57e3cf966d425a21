import PropertyList

/// What a property list or JSON is that lies beside policy files, and is none.
enum OtherPurpose {
    /// A schema of JSON Schema.
    case schema
    /// A dictionary without any field of a policy file, or no dictionary.
    case other

    /// What a file is; `nil` for one that is, or may be meant to be, a policy file.
    ///
    /// A file that does not parse counts as a policy file, and so does a profile. A schema may hold anything, fields with
    /// the names of a policy file's included; an Identifier it has not.
    init?(_ bytes: [UInt8], path: String) {
        let kind = PolicyFileName.kind(of: path)
        guard kind != .profile, let document = OtherPurpose.document(bytes, kind) else { return nil }
        guard let root = document.root.entries else {
            self = .other
            return
        }
        let fields = root.compactMap { PolicyField(rawValue: $0.key.string) }
        if !fields.contains(.identifier), root.contains(where: OtherPurpose.namesMetaSchema) {
            self = .schema
        } else if fields.allSatisfy({ $0 == .schema }) {
            self = .other
        } else {
            return nil
        }
    }

    /// The sentence about a file of this purpose.
    var message: String {
        switch self {
        case .schema: "this file is a JSON schema and not a policy file, so it was not checked"
        case .other: "this file has no field of a policy file, so it was not checked"
        }
    }

    /// Whether a file whose name says nothing parses, and has a field of a policy file.
    static func isPolicyLike(_ bytes: [UInt8]) -> Bool {
        document(bytes, nil) != nil && OtherPurpose(bytes, path: "") == nil
    }

    /// Reads a file, in which no dictionary stands for a value; `nil` where it does not parse.
    private static func document(_ bytes: [UInt8], _ kind: PolicyFileName.Kind?) -> Document? {
        if kind != .propertyList, let source = try? SourceText(decoding: bytes),
            let document = try? JSONReader.readAsItStands(source, limits: PolicyFile.limits)
        {
            return document
        }
        return kind == .json ? nil : try? Document.read(bytes, limits: PolicyFile.limits)
    }

    /// Whether a field says that its file is a schema: `"$schema": "https://json-schema.org/…"`.
    private static func namesMetaSchema(_ entry: Node.Entry) -> Bool {
        guard entry.key.string == PolicyField.schema.rawValue, case .scalar(.string(let text)) = entry.value.content
        else { return false }
        return ["http://json-schema.org/", "https://json-schema.org/"].contains { text.utf8.starts(with: $0.utf8) }
    }
}
