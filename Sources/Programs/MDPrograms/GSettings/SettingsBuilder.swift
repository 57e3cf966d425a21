import MDPlatform
import MDPolicyModel
import MDPropertyList

/// Makes a database of the entries of a policy, and says which of them GSettings cannot carry out.
struct SettingsBuilder {
    /// The schema that a domain means, in its folder.
    struct SchemaFolder {
        let schema: SettingsSchema
        let folder: String
    }

    /// Why an entry is not carried out, as a clause.
    struct Refusal: Error {
        let clause: String
        /// Whether the schema is missing, as those of desktops are that are not here.
        var isMissing = false
    }

    let schemas: InstalledSchemas
    let program: GSettings
    private(set) var database = SettingsDatabase()
    private(set) var findings: [ProgramFinding] = []
    private var targets: [Key: Result<SchemaFolder, Refusal>] = [:]
    private var keys: [Key: SettingsKey] = [:]

    init(schemas: InstalledSchemas, program: GSettings) {
        (self.schemas, self.program) = (schemas, program)
    }

    /// Adds a policy.
    mutating func add(_ policy: ProgramPolicy) {
        // What is forced comes first, because it hides what is recommended.
        for entry in policy.entries where entry.level.isForced { add(entry) }
        for entry in policy.entries where entry.level == .sealed {
            seal(entry, except: policy.unsealed[entry.domain] ?? [])
        }
        for entry in policy.entries where !entry.level.isForced && entry.level != .sealed { add(entry) }
    }

    /// Adds one entry, or reports why not.
    private mutating func add(_ entry: ProgramEntry) {
        do throws(Refusal) {
            let target = try target(of: entry.domain).get()
            let path = Key(target.folder + entry.key.string)
            guard let key = keys[path] ?? target.schema.key(entry.key.string) else {
                throw Refusal(clause: "the schema \(target.schema.id) has no key \(entry.key.string)")
            }
            keys[path] = key
            switch entry.level {
            case .forced(let value): lock(path, try checked(value, key))
            case .absent: lock(path, nil)
            case .recommended(let value):
                let value = try checked(value, key)
                if !database.locks.contains(path) { database.values[path] = value }
            case .constraint(let constraint): lock(path, try only(constraint, key))
            case .setOnce, .unknown, .sealed: throw Refusal(clause: "\(program.title) \(entry.level.unsupported)")
            }
        } catch {
            report(entry, error)
        }
    }

    /// Locks every key of a domain at its default, except those with an entry of their own and those that are freed.
    private mutating func seal(_ entry: ProgramEntry, except free: Set<Key>) {
        switch target(of: entry.domain) {
        case .success(let target):
            for name in target.schema.keys where !free.contains(Key(name)) {
                database.locks.insert(Key(target.folder + name))
            }
        case .failure(let refusal): report(entry, refusal)
        }
    }

    /// What a database of a user has for keys that a policy locks; `report` is told of each that cannot be read.
    mutating func stored(
        _ policy: ProgramPolicy, in table: GVDBFile.Table, _ file: String, report: (String) -> Void
    ) -> [StoredSetting] {
        var found: [StoredSetting] = []
        for entry in policy.entries where entry.level.isLocking {
            guard case .success(let target) = target(of: entry.domain) else { continue }
            let free = policy.unsealed[entry.domain] ?? []
            let names = entry.level == .sealed ? target.schema.keys : [entry.key.string]
            for name in names {
                let key = Key(name)
                // A key with an entry of its own is not the seal's.
                if entry.level == .sealed, free.contains(key) || policy.entry(domain: entry.domain, key: key) != nil {
                    continue
                }
                guard let variant = table.value(target.folder + name), let value = variant.value else {
                    if table.hasValue(target.folder + name) { report(target.folder + name) }
                    continue
                }
                var forced: GVariant?
                if case .forced(let wanted) = entry.level { forced = try? target.schema.key(name)?.checked(wanted) }
                found.append(StoredSetting(entry, key: key, value: value, file: file, isEqual: forced == variant))
            }
        }
        return found
    }

    private mutating func lock(_ path: Key, _ value: GVariant?) {
        database.locks.insert(path)
        database.values[path] = value
    }

    private func checked(_ value: Value, _ key: SettingsKey) throws(Refusal) -> GVariant {
        do {
            return try key.checked(value)
        } catch {
            throw Refusal(clause: error.description)
        }
    }

    /// The only value that a constraint leaves.
    private func only(_ constraint: Constraint, _ key: SettingsKey) throws(Refusal) -> GVariant {
        guard let values = key.values(allowedBy: constraint) else {
            throw Refusal(clause: "\(program.title) \(ProgramEntry.Level.constraint(constraint).unsupported)")
        }
        guard let value = values.first else {
            throw Refusal(clause: "the constraint allows none of the values that the key can have")
        }
        if values.count > 1 {
            throw Refusal(
                clause: "the constraint leaves \(values.count) values, and \(program.title) can only lock one")
        }
        return value
    }

    /// The schema and the folder of a domain.
    mutating func target(of domain: Key) -> Result<SchemaFolder, Refusal> {
        if let known = targets[domain] { return known }
        let found = find(domain)
        targets[domain] = found
        return found
    }

    private func find(_ domain: Key) -> Result<SchemaFolder, Refusal> {
        let place = SettingsPlace(domain)
        guard let schema = schemas.schema(place.schema) else {
            return .failure(Refusal(clause: "no schema of the name \(place.schema) is installed", isMissing: true))
        }
        switch (schema.path, place.folder) {
        case (let path?, nil): return .success(SchemaFolder(schema: schema, folder: path))
        case (let path?, let folder?):
            if path.utf8.elementsEqual(folder.utf8) { return .success(SchemaFolder(schema: schema, folder: path)) }
            return .failure(Refusal(clause: "the keys of the schema \(schema.id) lie in \(path) and nowhere else"))
        case (nil, let folder?):
            if SettingsPlace.isFolder(folder) { return .success(SchemaFolder(schema: schema, folder: folder)) }
            return .failure(
                Refusal(clause: "\(folder) is no folder of dconf: |org|example| is one"))
        case (nil, nil):
            return .failure(
                Refusal(clause: "the schema \(schema.id) has no folder of its own; write \(schema.id):|FOLDER|"))
        }
    }

    private mutating func report(_ entry: ProgramEntry, _ refusal: Refusal) {
        // A common setting is for the desktops that are here.
        let isIdle = refusal.isMissing && entry.origin.source.isExpanded
        findings.append(ProgramFinding(isIdle ? .idle : .unsupported, program: program, entry, refusal.clause))
    }
}

extension ProgramEntry.Level {
    /// Whether users cannot change the key.
    fileprivate var isForced: Bool {
        switch self {
        case .forced, .absent: true
        default: false
        }
    }
}
