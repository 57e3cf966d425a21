import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTools

extension Conversion {
    /// The default domain of Chromium's policies.
    private static let chromiumDomain: Key = "org.chromium.Chromium"

    /// Adds the policies of Chromium or a relative: forced, or recommended if the folder is the one for recommended
    /// policies.
    mutating func addChromium(_ input: ConversionInput) throws(ConversionError) {
        let document = try json(input)
        try requireForeign(document.root.entries ?? [], of: input)
        let isRecommended = options.isRecommended ?? input.has(folder: "recommended")
        for entry in ProfileParser.last(of: document.root.entries ?? []) {
            let place = place(input, document.position(of: entry.keyOffset))
            reportPlaceholder(in: entry, at: place, hasVariables: true)
            add(
                Entry(
                    level: isRecommended ? .recommended : .forced,
                    domain: options.domain ?? Conversion.chromiumDomain, key: entry.key, value: entry.value.value,
                    place: place))
        }
    }

    /// Adds the policies of Firefox or a relative: the content of the field `policies`, all of it forced.
    ///
    /// Firefox has no levels: a policy that only sets a default says so in its value.
    mutating func addFirefox(_ input: ConversionInput) throws(ConversionError) {
        let document = try json(input)
        let isThunderbird = input.has(folder: "thunderbird")
        let domain = options.domain ?? (isThunderbird ? "org.mozilla.thunderbird" : "org.mozilla.firefox")
        for entry in ProfileParser.last(of: document.root.entries ?? []) {
            let place = place(input, document.position(of: entry.keyOffset))
            guard entry.key == "policies", let policies = entry.value.entries else {
                reportLoss("\"\(Printable.escape(entry.key.string))\" beside policies is left out", at: place)
                continue
            }
            for policy in ProfileParser.last(of: policies) {
                let place = self.place(input, document.position(of: policy.keyOffset))
                reportPlaceholder(in: policy, at: place, hasVariables: true)
                add(
                    Entry(
                        level: .forced, domain: domain, key: policy.key, value: policy.value.value, place: place))
            }
        }
    }

    /// Parses a JSON file whose root is an object.
    private mutating func json(_ input: ConversionInput) throws(ConversionError) -> Document {
        do throws(PropertyListError) {
            let source = try SourceText(decoding: input.bytes)
            let document = try JSONReader.readForeign(source, limits: PolicyFile.limits)
            _ = try document.rootEntries()
            for warning in document.warnings {
                reportLoss(Printable.escape(warning.message), at: place(input, warning.position))
            }
            if document.hasMoreWarnings { reportMoreFindings(input) }
            return document
        } catch {
            throw ConversionError(Printable.escape(error.message), path: input.path, position: error.position)
        }
    }
}

extension Conversion {
    /// Adds keyfiles of dconf: locked keys are forced, all others recommended, and locks without a value absent.
    ///
    /// A path is a key of the schema whose keys lie in its folder: `/system/proxy/mode` is `mode` of
    /// `org.gnome.system.proxy`. The group of a file of overrides is the schema itself.
    mutating func addKeyfiles(_ files: [ConversionInput], locks: [ConversionInput]) throws(ConversionError) {
        var locked: [Key: String] = [:]
        for input in locks {
            for line in LockLine.all(input.bytes) {
                let place = place(input, Position(line: line.line, column: 1, offset: 0))
                if let objection = line.objection {
                    reportLoss("the lock \(objection); nothing is forced by it", at: place)
                } else if let path = line.path {
                    locked[Key(path)] = place
                }
            }
        }
        var found: Set<Key> = []
        let folders = DconfFolders(installed: options.schemas)
        for input in files {
            let lines: [KeyfileEntry]
            do throws(Keyfile.FormatError) {
                lines = try Keyfile.entries(input.bytes)
            } catch {
                throw ConversionError(
                    error.message, path: input.path, position: Position(line: error.line, column: 1, offset: 0))
            }
            for line in lines { add(line, of: input, in: folders, locked: locked, &found) }
        }
        // Without a value dconf forces the default of the schema, and so does an absent entry.
        for (path, place) in locked.sorted(by: { $0.key < $1.key }) where !found.contains(path) {
            let names = path.string.utf8.split(separator: UInt8(ascii: "/"))
            let key = names.last.map { String(Substring($0)) } ?? ""
            let folder = String(Substring(path.string.utf8.dropLast(key.utf8.count)))
            guard let domain = domain(folders.schema(of: folder, key: Key(key)), of: key, at: place) else { continue }
            add(Entry(level: .absent, domain: domain, key: Key(key), value: .boolean(true), place: place))
        }
    }

    /// The domain of a key, if it has one; says what is against it.
    private mutating func domain(_ answer: DconfFolders.Answer, of key: String, at place: String) -> Key? {
        if let doubt = answer.doubt {
            let left = answer.domain == nil ? " is left out" : ""
            reportLoss("\"\(Printable.escape(key))\"\(left): \(Printable.escape(doubt))", at: place)
        }
        return answer.domain
    }

    /// Adds one line of a keyfile.
    private mutating func add(
        _ line: KeyfileEntry, of input: ConversionInput, in folders: DconfFolders, locked: [Key: String],
        _ found: inout Set<Key>
    ) {
        let place = place(input, Position(line: line.line, column: 1, offset: 0))
        let shown = Printable.escape(line.key)
        let path = Key("/\(line.group)/\(line.key)")
        found.insert(path)
        let value: GVariantText.Parsed
        do throws(GVariantText.FormatError) {
            value = try GVariantText.parse(line.value)
        } catch {
            return reportLoss(
                "the value of \"\(shown)\" is left out: \(Printable.escape(error.message)), at character"
                    + " \(error.offset + 1) of it",
                at: place)
        }
        for remark in value.remarks { reportLoss("\"\(shown)\": \(remark)", at: place) }
        let answer: DconfFolders.Answer
        if let schema = KeyfileEntry.schema(of: line.group) {
            answer = folders.schema(id: schema, key: Key(line.key))
            if schema.utf8.count < line.group.utf8.count {
                reportLoss(
                    "\"\(shown)\" holds in the desktops [\(Printable.escape(line.group))] only, and here in all",
                    at: place)
            }
        } else {
            answer = folders.schema(of: line.group.isEmpty ? "/" : "/\(line.group)/", key: Key(line.key))
        }
        guard let domain = domain(answer, of: line.key, at: place) else { return }
        add(
            Entry(
                level: locked[path] == nil ? .recommended : .forced, domain: domain, key: Key(line.key),
                value: value.value, place: place))
    }
}
