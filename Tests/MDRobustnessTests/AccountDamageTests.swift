import Foundation
import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyStore
import MDPropertyList
import MDTestSupport
import Testing

/// Damage to the files that describe users and their homes.
struct AccountDamageTests {
    /// The account files and those of one word.
    static let files = [
        "/etc/passwd", "/etc/group", "/etc/hostname", "/etc/machine-id", "/etc/managed-defaults/tags",
    ]

    @Test(arguments: files) func `survives any damage to an account file`(_ file: String) async {
        let progress = Sweep.progressPath()
        await #expect(processExitsWith: .success) { [file, progress = progress as String] in
            try sweep(file, progress)
        }
        Sweep.check(progress)
    }
}

/// Reads the accounts with every damage; everything that commands do with some of them, of the larger files with fewer.
private func sweep(_ file: String, _ progress: String) throws {
    let lab = try TemporaryMachine(attempts: 2)
    let bytes = try lab.read(file)
    let before = AccountDatabase(root: lab.root)
    let names = Set(before.accounts)
    var sweep = Sweep(progress: progress)
    sweep.run(file, bytes) { number, damage, damaged in
        try lab.overwrite(file, damaged)
        let now = AccountDatabase(root: lab.root)
        for problem in now.problems where problem.line < 1 || problem.message.isEmpty { return "\(problem)" }
        if case .flipped = damage {
            // A flipped byte is in one line, and a line end that is flipped joins two.
            if Set(now.accounts).subtracting(names).count > 2 { return "other users changed" }
            if names.subtracting(now.accounts).count > 2 { return "other users changed" }
        }
        let isSmall = bytes.count < 100
        guard Sweeping.isTaken(number, oneOf: isSmall ? 7 : 123) else { return nil }
        _ = try PolicyMachine(folder: lab.path).policy()
        try lab.useEverything()
        return nil
    }
}
