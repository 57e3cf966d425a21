import MDPlatform
import MDPropertyList
import MDTools

/// Firefox or Thunderbird, asked for its active policies and for the preferences that they set.
struct MozillaWitness: Witness {
    let program: MozillaFamily

    /// The file in the profile that has the port which the program chose.
    private static let portFile = "MarionetteActivePort"
    /// The member of the policies that sets single preferences.
    private static let preferences: Key = "Preferences"

    /// The preferences of the new profile: any free port, and nothing that waits for a person or calls the maker.
    private static let profile = """
        user_pref("marionette.port", 0);
        user_pref("browser.shell.checkDefaultBrowser", false);
        user_pref("browser.region.update.enabled", false);
        user_pref("datareporting.policy.dataSubmissionEnabled", false);
        user_pref("app.normandy.enabled", false);
        user_pref("extensions.update.enabled", false);

        """

    /// Asks for the active policies, what shows that they are obeyed, and what the program said about policies.
    private static let question = """
        const [names, features, pages, sites] = arguments;
        const value = (branch, name) => {
            try {
                switch (branch.getPrefType(name)) {
                    case branch.PREF_STRING: return branch.getStringPref(name);
                    case branch.PREF_INT: return branch.getIntPref(name);
                    case branch.PREF_BOOL: return branch.getBoolPref(name);
                }
            } catch (error) {}
        };
        const defaults = Services.prefs.getDefaultBranch("");
        const preferences = {};
        for (const name of names) {
            preferences[name] = {
                locked: Services.prefs.prefIsLocked(name),
                value: value(Services.prefs, name),
                default: value(defaults, name),
            };
        }
        const system = Services.scriptSecurityManager.getSystemPrincipal();
        const isBlocked = page => {
            try {
                const uri = Services.io.newURI(page);
                const info = Services.io.newChannelFromURI(uri, null, system, system,
                    Ci.nsILoadInfo.SEC_ALLOW_CROSS_ORIGIN_SEC_CONTEXT_IS_NULL, Ci.nsIContentPolicy.TYPE_SUBDOCUMENT)
                    .loadInfo;
                return ["", "-file"].some(part => {
                    const name = Cc[`@mozilla-org/policy-engine${part}-content-policy-service;1`];
                    return name && name.getService(Ci.nsIContentPolicy).shouldLoad(uri, info)
                        != Ci.nsIContentPolicy.ACCEPT;
                });
            } catch (error) {}
        };
        const decision = text => {
            try {
                const [kind, site] = text.split(" ");
                const principal = Services.scriptSecurityManager.createContentPrincipal(Services.io.newURI(site), {});
                const found = Services.perms.getPermissionObject(principal, kind, true);
                return found && found.expireType == Ci.nsIPermissionManager.EXPIRE_POLICY ? found.capability : 0;
            } catch (error) {}
        };
        const all = (names, ask) => Object.fromEntries(names.map(name => [name, ask(name)]));
        const events = Cc["@mozilla.org/consoleAPI-storage;1"].getService(Ci.nsIConsoleAPIStorage).getEvents();
        const messages = events
            .filter(event => /olic|JsonSchemaValidator/.test(event.prefix || event.consoleID || ""))
            .filter(event => event.level == "error" || event.level == "warn")
            .slice(0, 200).map(event => event.arguments.map(String).join(" ").slice(0, 500));
        return JSON.stringify({
            status: Services.policies.status,
            active: Services.policies.getActivePolicies() || {},
            preferences, messages,
            features: all(features, name => Services.policies.isAllowed(name)),
            pages: all(pages, isBlocked), sites: all(sites, decision),
        });
        """

    /// Thunderbird answers all the same.
    var silencers: [(path: [Key], value: Value)] {
        program.name == "firefox" ? [(["policies", "DisableDeveloperTools"], .boolean(true))] : []
    }

    func testify(
        about policy: ProgramPolicy, for audience: Audience, at place: borrowing WitnessPlace
    ) throws(WitnessError) -> Testimony {
        let requirements = policy.entries.map { Requirement($0, in: program, for: audience, root: .system) }
        var names = Array(repeating: Set<Key>(), count: 4)
        names[0].formUnion(requirements.flatMap(MozillaWitness.preferences).map(\.name))
        for sign in requirements.flatMap({ $0.evidence(in: program) }).flatMap(\.signs) {
            switch sign {
            case .preference(let name, _): names[0].insert(name)
            case .feature(let name, _): names[1].insert(name)
            case .page(let address, _): names[2].insert(address)
            case .permission(let kind, let site, _): names[3].insert(MozillaWitness.name(of: kind, site))
            }
        }
        let lists = names.map { Value.array($0.sorted().map { .string($0.string) }) }
        return testimony(requirements, try answer(lists, at: place))
    }

    /// The name by which a permission is asked for.
    private static func name(of kind: Key, _ site: Key) -> Key { Key("\(kind) \(site)") }

    /// Starts the program and asks it.
    private func answer(_ names: [Value], at place: borrowing WitnessPlace) throws(WitnessError) -> [Key: Value] {
        guard let path = program.executables.first(where: { Root.system.mayExist($0) }) else {
            throw WitnessError("it is not installed")
        }
        let profile = place.path("profile")
        do throws(SystemError) {
            try Root.system.createDirectory(profile, mode: 0o700)
            try Root.system.replace(
                "\(profile)/user.js", with: Array(MozillaWitness.profile.utf8), mode: 0o600, durable: false)
        } catch {
            throw WitnessError(error)
        }
        let process = try place.start(
            path,
            ["--headless", "--no-remote", "--profile", profile, "--marionette", "--remote-allow-system-access"])
        defer { process.end() }
        let port = try MozillaWitness.port(in: profile, of: process, until: place.deadline)
        let socket: StreamSocket
        do throws(SystemError) {
            socket = try StreamSocket.connect(port: port, deadline: place.deadline, shown: program.title)
        } catch {
            throw WitnessError(error)
        }
        var connection = try MarionetteConnection(socket)
        _ = try connection.call("WebDriver:NewSession")
        _ = try connection.call("Marionette:SetContext", ["value": .string("chrome")])
        let result = try connection.call(
            "WebDriver:ExecuteScript", ["script": .string(MozillaWitness.question), "args": .array(names)])
        guard case .string(let text) = result["value"] else { throw .unreadable("the script did not answer") }
        do {
            return try PlainJSON.object(Array(text.utf8))
        } catch {
            throw .unreadable("\(error)")
        }
    }

    /// Waits for the port on which the program can be asked.
    private static func port(
        in profile: String, of process: TalkingProcess, until deadline: Int64
    ) throws(WitnessError) -> UInt16 {
        while true {
            if let bytes = try? Root.system.read("\(profile)/\(portFile)", limit: 16).bytes,
                let port = UInt16(String(decoding: bytes.prefix { $0 != 0x0a }, as: UTF8.self))
            {
                return port
            }
            if process.hasEnded { throw .ended }
            if Clock.monotonicMicroseconds() > deadline { throw WitnessError("it does not answer in time") }
            Clock.pause(microseconds: 20_000)
        }
    }

    // MARK: Answers

    /// A preference that an entry sets.
    struct Preference {
        let name: Key
        let value: Value?
        /// The status of the preference: `locked`, `default`, `user` or `clear`.
        let status: Key
    }

    /// The preferences that an entry sets.
    static func preferences(of requirement: Requirement) -> [Preference] {
        requirement.settings.filter { $0.name == preferences }.flatMap { setting -> [Preference] in
            guard case .dictionary(let members) = setting.value else { return [] }
            return members.sorted { $0.key < $1.key }.compactMap { name, value in
                guard case .dictionary(let parts) = value, case .string(let status) = parts["Status"] else {
                    return nil
                }
                return Preference(name: name, value: parts["Value"], status: Key(status))
            }
        }
    }

    /// Compares what the program has with what is required.
    func testimony(_ requirements: [Requirement], _ answer: [Key: Value]) -> Testimony {
        var testimony = Testimony()
        var messages: [String] = []
        if case .array(let texts) = answer["messages"] {
            messages = texts.compactMap { if case .string(let text) = $0 { text } else { nil } }
        }
        // 1 is active, 0 inactive and 2 failed.
        if answer["status"] == .integer(2) {
            testimony.remarks.append("It could not read its policy, and none is in force.")
        }
        var isSaid = Array(repeating: false, count: messages.count)
        // The switch of macOS has no word here: that there is a file says the same.
        for requirement in requirements where requirement.entry.key != MozillaFamily.switchKey {
            var found = self.answer(requirement, answer)
            let names = requirement.settings.map(\.name) + MozillaWitness.preferences(of: requirement).map(\.name)
            let said = messages.indices.filter { index in
                names.contains {
                    $0 != MozillaWitness.preferences && TextSearch.isPresent($0.string, in: messages[index])
                }
            }
            for index in said { isSaid[index] = true }
            if let first = said.first, ![.enforced, .isDefault, .notKnown, .firstState].contains(found.result) {
                found = WitnessAnswer(found.entry, .error, value: found.value, note: messages[first])
            }
            testimony.answers.append(found)
        }
        testimony.remarks += messages.indices.filter { !isSaid[$0] }.map { messages[$0] }
        let wanted = Set(requirements.flatMap { $0.settings.map(\.name) })
        let active = MozillaWitness.part("active", of: answer)
        for (name, value) in active.sorted(by: { $0.key < $1.key }) where !wanted.contains(name) {
            testimony.foreign.append((name, value))
        }
        return testimony
    }

    private static func part(_ name: Key, of answer: [Key: Value]) -> [Key: Value] {
        if case .dictionary(let members) = answer[name] { members } else { [:] }
    }

    /// Compares one entry with what the program has; that it has read a policy is no sign that it obeys it.
    private func answer(_ requirement: Requirement, _ answer: [Key: Value]) -> WitnessAnswer {
        let entry = requirement.entry
        let active = MozillaWitness.part("active", of: answer)
        let path = TextSearch.parts(of: entry.key.string, separatedBy: "__").map { Key($0) }
        let value = path.reduce(Value?.some(.dictionary(active))) { value, name in
            if case .dictionary(let members) = value { members[name] } else { nil }
        }
        if let obstacle = requirement.obstacle {
            return WitnessAnswer(entry, .unsupported, value: value, note: obstacle)
        }
        if let unknown = requirement.unknown {
            return WitnessAnswer(entry, .notKnown, value: value, note: unknown)
        }
        for setting in requirement.settings {
            guard let present = active[setting.name] else {
                return WitnessAnswer(entry, .differs, note: "\(setting.name.string) is not among its active policies")
            }
            if !Requirement.isMet(setting.value, by: present) { return WitnessAnswer(entry, .differs, value: value) }
        }
        let preferences = MozillaWitness.part("preferences", of: answer)
        for preference in MozillaWitness.preferences(of: requirement) {
            if let fault = MozillaWitness.fault(of: preference, preferences) {
                return WitnessAnswer(entry, .differs, value: value, note: "\(preference.name.string) \(fault)")
            }
        }
        let evidence = requirement.evidence(in: program)
        let faults = evidence.flatMap(\.signs).compactMap { fault(of: $0, answer, entry) }
        func known(_ fault: WitnessAnswer) -> WitnessAnswer {
            WitnessAnswer(entry, fault.result, value: value, note: fault.note)
        }
        if let fault = faults.first(where: { $0.result == .differs }) { return known(fault) }
        if let clause = requirement.firstState { return WitnessAnswer(entry, .firstState, value: value, note: clause) }
        if let fault = faults.first { return known(fault) }
        let hidden = evidence.flatMap(\.hidden)
        if !hidden.isEmpty {
            return WitnessAnswer(
                entry, .unknown, value: value,
                note: "it has read this, and nothing in it shows if it obeys \(hidden.joined(separator: ", "))")
        }
        return WitnessAnswer(entry, requirement.isDefault ? .isDefault : .enforced, value: value)
    }

    /// What speaks against a sign; `nil` if it is as it is where the policy is obeyed.
    ///
    /// A preference that is not there says nothing: another version of the program may have another one.
    private func fault(
        of sign: MozillaEvidence.Sign, _ answer: [Key: Value], _ entry: ProgramEntry
    ) -> WitnessAnswer? {
        let isForced = entry.level.isLocking
        func differs(_ isSo: Bool, _ clause: @autoclosure () -> String) -> WitnessAnswer? {
            isSo ? nil : WitnessAnswer(entry, .differs, note: clause())
        }
        switch sign {
        case .preference(let name, let expected):
            guard case .dictionary(let state)? = MozillaWitness.part("preferences", of: answer)[name],
                state["value"] != nil || state["default"] != nil || state["locked"] == .boolean(true)
            else { return WitnessAnswer(entry, .unknown, note: "it has no preference \(name), which would show it") }
            let isLocked = state["locked"] == .boolean(true)
            if isLocked != isForced { return differs(false, "\(name) is \(isForced ? "not " : "")locked") }
            let word = isForced ? "value" : "default"
            return differs(expected.isMet(by: state[Key(word)]), "\(name) has another \(word)")
        case .feature(let name, let isAllowed):
            let isSo = MozillaWitness.part("features", of: answer)[name] == .boolean(isAllowed)
            return differs(isSo, "its feature \(name) is \(isAllowed ? "off" : "on")")
        case .page(let address, let isBlocked):
            let isSo = MozillaWitness.part("pages", of: answer)[address] == .boolean(isBlocked)
            return differs(isSo, "it \(isBlocked ? "opens" : "does not open") \(address)")
        case .permission(let kind, let site, let decision):
            let found = MozillaWitness.part("sites", of: answer)[MozillaWitness.name(of: kind, site)]
            return differs(found == .integer(Integer(decision)), "it has not the permission \(kind) for \(site)")
        }
    }

    /// What is wrong with a preference, as a clause without its subject; `nil` if nothing is.
    private static func fault(of preference: Preference, _ known: [Key: Value]) -> String? {
        guard case .dictionary(let state) = known[preference.name] else { return "is unknown to it" }
        let isLocked = state["locked"] == .boolean(true)
        switch preference.status {
        case "locked" where !isLocked: return "is not locked"
        case "default" where isLocked: return "is locked"
        case "locked" where state["value"] != preference.value: return "has another value"
        case "default" where state["default"] != preference.value: return "has another default"
        case "user" where state["value"] != preference.value: return "has another value"
        default: return nil
        }
    }
}

extension Requirement {
    /// What shows that the entry is obeyed, for each setting; preferences that are named show themselves.
    func evidence(in program: MozillaFamily) -> [MozillaEvidence] {
        settings.filter { $0.name != "Preferences" }.map { MozillaEvidence(of: $0, in: program) }
    }
}

extension MozillaEvidence.Expectation {
    /// Whether a preference is as expected.
    fileprivate func isMet(by value: Value?) -> Bool {
        switch (self, value) {
        case (.any, _): return true
        case (.value(let expected), let value?): return Requirement.isMet(expected, by: value)
        case (.beginning(let text), .string(let value)?): return value.utf8.starts(with: text.utf8)
        case (.words(let words), .string(let value)?):
            let parts = value.utf8.split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") }
            return parts.map { Key(String(Substring($0))) } == words.map { Key($0) }
        default: return false
        }
    }
}

extension MozillaFamily {
    package var witness: (any Witness)? { MozillaWitness(program: self) }
}
