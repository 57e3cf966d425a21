import MDPlatform
import MDPropertyList
import MDTools

/// A browser of Chromium's family, asked for what its page `chrome://policy` shows.
struct ChromiumWitness: Witness {
    let program: ChromiumFamily

    /// What keeps the browser from doing what it would do, waiting for a person, or calling its maker.
    private static let switches = [
        "--headless", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check", "--no-startup-window",
        "--disable-gpu", "--disable-breakpad", "--disable-background-networking", "--disable-component-update",
        "--disable-sync", "--password-store=basic",
    ]

    /// Asks the page for the policies as it gets them.
    private static let question = """
        import('chrome://resources/js/cr.js').then(cr => new Promise(done => {
            cr.addWebUiListener('policies-updated', (names, values) => done(JSON.stringify({names, values})));
            chrome.send('listenPoliciesUpdates');
        }))
        """

    var silencers: [(path: [Key], value: Value)] {
        [
            (["DeveloperToolsAvailability"], .integer(2)), (["DeveloperToolsDisabled"], .boolean(true)),
            (["RemoteDebuggingAllowed"], .boolean(false)), (["HeadlessMode"], .integer(2)),
        ]
    }

    func testify(
        about policy: ProgramPolicy, for audience: Audience, at place: borrowing WitnessPlace
    ) throws(WitnessError) -> Testimony {
        testimony(about: policy, for: audience, try policies(at: place))
    }

    /// Starts the browser and reads what its page has.
    private func policies(at place: borrowing WitnessPlace) throws(WitnessError) -> [Key: Value] {
        guard let path = program.executables.first(where: { Root.system.mayExist($0) }) else {
            throw WitnessError("it is not installed")
        }
        let process = try place.start(path, ChromiumWitness.switches + ["--user-data-dir=\(place.path("profile"))"])
        defer { process.end() }
        return try ChromiumWitness.ask(process.socket)
    }

    /// Opens the page and asks it.
    private static func ask(_ socket: StreamSocket) throws(WitnessError) -> [Key: Value] {
        var pipe = DevToolsPipe(socket)
        let target = try pipe.call("Target.createTarget", ["url": .string("chrome://policy")])
        guard let id = target["targetId"] else { throw .unreadable("no page") }
        let attached = try pipe.call("Target.attachToTarget", ["targetId": id, "flatten": .boolean(true)])
        guard case .string(let session) = attached["sessionId"] else { throw .unreadable("no session") }
        try wait(for: "chrome://policy/", &pipe, session)
        let text = try pipe.evaluate(question, session: session)
        let page: [Key: Value]
        do {
            page = try PlainJSON.object(Array(text.utf8))
        } catch {
            throw .unreadable("\(error)")
        }
        guard ChromiumWitness.groups(of: page) != nil else { throw .unreadable("no groups of policies") }
        return page
    }

    /// Waits until the page is there, and not the empty one before it or an error's.
    private static func wait(for address: String, _ pipe: inout DevToolsPipe, _ session: String) throws(WitnessError) {
        while true {
            let state = try pipe.evaluate(
                "Promise.resolve(document.readyState + ' ' + location.href)", session: session)
            if state == "complete \(address)" { return }
            if state.utf8.starts(with: "complete chrome-error:".utf8) {
                throw WitnessError("it does not show its page \(address)")
            }
            Clock.pause(microseconds: 20_000)
        }
    }

    // MARK: Answers

    /// Compares what the page has with the policy.
    func testimony(
        about policy: ProgramPolicy, for audience: Audience, _ page: [Key: Value]
    ) -> Testimony {
        var testimony = Testimony()
        let groups = ChromiumWitness.groups(of: page) ?? [:]
        testimony.names = ChromiumWitness.names(in: page)
        let names = Set(testimony.names)
        let own = ChromiumWitness.policies(of: "chrome", in: groups) ?? [:]
        for entry in policy.entries {
            let requirement = Requirement(entry, in: program, for: audience, root: .system)
            testimony.answers.append(answer(requirement, own, groups, names))
        }
        let wanted = Set(policy.entries.map(\.key))
        for (name, item) in own.sorted(by: { $0.key < $1.key }) where !wanted.contains(name) {
            guard case .dictionary(let members) = item, let value = members["value"] else { continue }
            testimony.foreign.append((name, value))
        }
        return testimony
    }

    private func answer(
        _ requirement: Requirement, _ own: [Key: Value], _ groups: [Key: Value], _ names: Set<Key>
    ) -> WitnessAnswer {
        let entry = requirement.entry
        if let obstacle = requirement.obstacle { return WitnessAnswer(entry, .unsupported, note: obstacle) }
        var answers: [WitnessAnswer] = []
        for setting in requirement.settings {
            guard setting.name == "3rdparty" else {
                if !names.isEmpty, !names.contains(setting.name) {
                    let clause = ChromiumNames.clause(program, without: setting.name, among: names)
                    return WitnessAnswer(entry, .notKnown, note: clause)
                }
                answers.append(ChromiumWitness.answer(requirement, setting.value, own[setting.name]))
                continue
            }
            for (id, settings) in ChromiumWitness.extensions(in: setting.value) {
                guard let known = ChromiumWitness.policies(of: id, in: groups) else {
                    answers.append(
                        WitnessAnswer(entry, .unknown, note: "a new profile has no extension \(id.string)"))
                    continue
                }
                answers += settings.map { ChromiumWitness.answer(requirement, $0.value, known[$0.key]) }
            }
        }
        // Of several settings the one that is wrong counts.
        return answers.first { !$0.result.isInForce } ?? answers.first ?? WitnessAnswer(entry, .unknown)
    }

    /// Compares one policy of the page with what is required.
    private static func answer(_ requirement: Requirement, _ required: Value, _ item: Value?) -> WitnessAnswer {
        let entry = requirement.entry
        guard case .dictionary(let members) = item else {
            return WitnessAnswer(entry, .differs, note: "the browser has no such policy in force")
        }
        let value = members["value"]
        func text(_ name: Key) -> String? {
            if case .string(let text) = members[name] { text } else { nil }
        }
        if let error = text("error") { return WitnessAnswer(entry, .error, value: value, note: error) }
        let note = text("warning") ?? ""
        guard let value else { return WitnessAnswer(entry, .unknown, note: note) }
        if case .string(let hidden) = value, !hidden.isEmpty, hidden.utf8.allSatisfy({ $0 == UInt8(ascii: "*") }) {
            return WitnessAnswer(entry, .unknown, note: "the browser does not show the value")
        }
        guard Requirement.isMet(required, by: value) else {
            return WitnessAnswer(entry, .differs, value: value, note: note)
        }
        switch (members["level"], requirement.isDefault) {
        case (.string("mandatory"), false): return WitnessAnswer(entry, .enforced, value: value, note: note)
        case (.string("recommended"), true): return WitnessAnswer(entry, .isDefault, value: value, note: note)
        case (.string("mandatory"), true):
            return WitnessAnswer(entry, .differs, value: value, note: "the user cannot change it")
        case (.string("recommended"), false):
            return WitnessAnswer(entry, .differs, value: value, note: "the user may change it")
        default: return WitnessAnswer(entry, .unknown, value: value, note: "the browser does not say who may change it")
        }
    }

    /// The groups of policies of the page, by their ids.
    private static func groups(of page: [Key: Value]) -> [Key: Value]? {
        if case .dictionary(let values) = page["values"], case .dictionary(let groups) = values["policyGroups"] {
            groups
        } else {
            nil
        }
    }

    /// The names of all policies that the browser has.
    private static func names(in page: [Key: Value]) -> [Key] {
        guard case .dictionary(let groups) = page["names"], case .dictionary(let own) = groups["chrome"],
            case .array(let names) = own["policyNames"]
        else { return [] }
        return names.compactMap { if case .string(let name) = $0 { Key(name) } else { nil } }
    }

    /// The policies of a group of the page; `nil` if there is no such group.
    private static func policies(of group: Key, in groups: [Key: Value]) -> [Key: Value]? {
        guard case .dictionary(let members) = groups[group], case .dictionary(let policies) = members["policies"] else {
            return nil
        }
        return policies
    }

    /// The settings of extensions by their ids.
    private static func extensions(in value: Value) -> [(id: Key, settings: [Key: Value])] {
        guard case .dictionary(let kinds) = value, case .dictionary(let extensions) = kinds["extensions"] else {
            return []
        }
        return extensions.sorted { $0.key < $1.key }.compactMap { id, value in
            if case .dictionary(let settings) = value { (id, settings) } else { nil }
        }
    }
}

extension ChromiumFamily {
    /// The browser's own program, which is the last name of one of its paths or what its script starts.
    package var watchers: [String] { ["chromium", "chrome", "msedge", "brave", "vivaldi-bin"] }

    package var witness: (any Witness)? { ChromiumWitness(program: self) }
}
