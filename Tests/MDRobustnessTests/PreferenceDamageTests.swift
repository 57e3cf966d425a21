import Foundation
import MDEngine
import MDPlatform
import MDPreferences
import MDPropertyList
import MDTestSupport
import Testing

/// A damaged preference file loses no data, and disturbs no other domain.
struct PreferenceDamageTests {
    /// The preference files of all users, and the administrator's defaults.
    static let files =
        TemporaryMachine.files(below: "/home").filter { $0.hasSuffix(".plist") }
        + TemporaryMachine.files(below: "/etc/managed-defaults/defaults")

    @Test(arguments: files) func `survives any damage to a preference file`(_ file: String) async {
        let progress = Sweep.progressPath()
        await #expect(processExitsWith: .success) { [file, progress = progress as String] in
            let lab = try TemporaryMachine(attempts: 2)
            if file.hasPrefix("/etc") {
                try sharedSweep(lab, file, progress)
            } else {
                try PreferenceDamage(lab: lab, file: file).sweep(progress: progress)
            }
        }
        Sweep.check(progress)
    }

    @Test func `finds the preference files of the lab`() {
        #expect(Self.files.count >= 12)
    }
}

/// Reads damaged defaults of all users; every 97th damage with everything else that commands do.
private func sharedSweep(_ lab: TemporaryMachine, _ file: String, _ progress: String) throws {
    let bytes = try lab.read(file)
    let name = String((file as NSString).lastPathComponent.dropLast(".plist".count))
    let before = try lab.useEverything()
    var sweep = Sweep(progress: progress)
    sweep.run(file, bytes) { number, _, damaged in
        try lab.overwrite(file, damaged)
        do throws(PreferencesError) {
            guard try SharedDefaults(root: lab.root).read(Key(name)) != nil else { return "the file is not seen" }
        } catch {
            guard case .damaged = error else { return "\(error)" }
        }
        guard number % 97 == 0 else { return nil }
        return try lab.useEverything() == before ? nil : "a forced value changed"
    }
}

/// What is compared for one preference file.
private struct PreferenceDamage {
    /// The lab.
    let lab: TemporaryMachine
    /// The file.
    let file: String
    /// Its content.
    let bytes: [UInt8]
    /// The domain.
    let domain: Key
    /// Which of the domain's files it is.
    let host: HostScope
    /// The user.
    let user: UserSession
    /// The folder around it.
    let folder: String
    /// The other files in that folder, with their content.
    let others: [String: [UInt8]]

    /// What every update puts into the domain.
    private static let update: (key: Key, value: Value) = ("Robustness.Test", .integer(1))

    /// Finds out whose file this is.
    init(lab: TemporaryMachine, file: String) throws {
        (self.lab, self.file) = (lab, file)
        bytes = try lab.read(file)
        let machine = try PolicyMachine(folder: lab.path).policy()
        let name = String(file.split(separator: "/")[1])
        let user = UserSession(machine: machine, account: try machine.account(named: name))
        self.user = user
        let place = try #require(user.preferences.place(ofFileAt: file, in: lab.root))
        (domain, host) = (place.domain, try #require(place.host))
        folder = (file as NSString).deletingLastPathComponent
        var others: [String: [UInt8]] = [:]
        for name in lab.names(folder) where name.hasSuffix(".plist") && "\(folder)/\(name)" != file {
            others[name] = try lab.read("\(folder)/\(name)")
        }
        self.others = others
    }

    /// Runs through every damage; updates with every 4th, and does everything else that commands do with every 97th.
    func sweep(progress: String) throws {
        let before = try lab.useEverything()
        var sweep = Sweep(progress: progress)
        sweep.run(file, bytes) { number, _, damaged in
            // A damaged file that is young is read again, because somebody may be writing it in place.
            try lab.overwrite(file, damaged, age: 60)
            var problem = try problem(of: damaged, updating: number % 4 == 0)
            if problem == nil, number % 97 == 0 {
                try lab.overwrite(file, damaged, age: 60)
                if try lab.useEverything() != before { problem = "a forced value changed" }
            }
            return problem
        }
        try lab.overwrite(file, bytes)
        #expect(try lab.useEverything() == before)
    }

    /// What is wrong with reading and updating the damaged file.
    ///
    /// An update reads exactly as reading does; what it then does depends on that result alone.
    private func problem(of damaged: [UInt8], updating: Bool) throws -> String? {
        var stored: [Key: Value]?
        do throws(PreferencesError) {
            stored = try user.preferences.read(domain, host: host)?.values
            if stored == nil { return "the file is not seen" }
        } catch {
            guard case .damaged = error else { return "\(error)" }
        }
        if try lab.read(file) != damaged { return "reading changed the file" }
        guard updating else { return nil }
        let result: UpdateResult
        do throws(PreferencesError) {
            let change = Self.update
            result = try user.preferences.update(domain, host: host, [change.key: change.value])
        } catch {
            guard case .notStorable = error else { return "\(error)" }
            // A value that one format has and the written one lacks: nothing may have happened.
            return try lab.read(file) == damaged ? nil : "a refused update changed the file"
        }
        if let stored {
            let expected = stored.merging([Self.update.key: Self.update.value]) { $1 }
            if result.after != expected { return "the update lost a value" }
            guard try user.preferences.read(domain, host: host)?.values == expected else { return "it reads otherwise" }
            if !result.damaged.isEmpty { return "a whole file was set aside" }
        } else {
            guard let aside = result.damaged.first, result.damaged.count == 1 else { return "nothing was set aside" }
            let kept = try Data(contentsOf: URL(fileURLWithPath: aside.setAsidePath))
            if Array(kept) != damaged { return "what was set aside is not the damaged file" }
            try FileManager.default.removeItem(atPath: aside.setAsidePath)
        }
        for (name, content) in others where try lab.read("\(folder)/\(name)") != content {
            return "the file \(name) changed"
        }
        return nil
    }
}
