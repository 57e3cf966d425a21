import Platform
import PropertyList

extension Conversion {
    /// Adds keyfiles of dconf: locked keys are forced, all others recommended.
    ///
    /// A path is a domain and a key: `/org/gnome/desktop/session/idle-delay` is `idle-delay` of
    /// `org.gnome.desktop.session`.
    mutating func addKeyfiles(_ files: [ConversionInput], locks: [ConversionInput]) throws(ConversionError) {
        var locked: [Key: String] = [:]
        for input in locks {
            for line in LockLine.all(input.bytes) {
                let place = place(input, Position(line: line.line, column: 1, offset: 0))
                if let objection = line.objection {
                    lose("the lock \(objection); nothing is forced by it", at: place)
                } else if let path = line.path {
                    locked[Key(path)] = place
                }
            }
        }
        var found: Set<Key> = []
        for input in files {
            let lines: [KeyfileEntry]
            do throws(Keyfile.Mistake) {
                lines = try Keyfile.entries(input.bytes)
            } catch {
                throw ConversionError(
                    error.message, path: input.path, position: Position(line: error.line, column: 1, offset: 0))
            }
            for line in lines { add(line, of: input, locked: locked, &found) }
        }
        for (path, place) in locked.sorted(by: { $0.key < $1.key }) where !found.contains(path) {
            lose(
                "the lock of \(Printable.escape(path.string)) has no value here: dconf forces the default of its schema,"
                    + " which is not known",
                at: place)
        }
    }

    /// Adds one line of a keyfile.
    private mutating func add(
        _ line: KeyfileEntry, of input: ConversionInput, locked: [Key: String], _ found: inout Set<Key>
    ) {
        let place = place(input, Position(line: line.line, column: 1, offset: 0))
        let shown = Printable.escape(line.key)
        guard !line.group.isEmpty else {
            return lose("\"\(shown)\" stands at the top, which is no domain, and is left out", at: place)
        }
        let path = Key("/\(line.group)/\(line.key)")
        found.insert(path)
        let value: GVariantText.Result
        do throws(GVariantText.Mistake) {
            value = try GVariantText.parse(line.value)
        } catch {
            return lose(
                "the value of \"\(shown)\" is left out: \(Printable.escape(error.message)), at character"
                    + " \(error.offset + 1) of it",
                at: place)
        }
        for remark in value.remarks { lose("\"\(shown)\": \(remark)", at: place) }
        let domain = String(
            decoding: line.group.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: ".") : $0 }, as: UTF8.self)
        add(
            Entry(
                level: locked[path] == nil ? .recommended : .forced, domain: Key(domain), key: Key(line.key),
                value: value.value, place: place,
                program: .gsettings))
    }
}
