import Foundation
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// Times compiled policy: opening it and asking for one key, and compiling it, beside dconf if that is installed.
///
/// `swift run -c release managed-defaults-benchmarks policy` prints microseconds and milliseconds.
struct PolicyBenchmark {
    /// The folder that everything lies in.
    let folder: String

    /// The sizes: keys, and the files that they are spread over.
    static let sizes = [(keys: 10, files: 1), (1_000, 1), (10_000, 1), (100_000, 1)]
    /// The sizes that are compiled.
    static let compiled = [(keys: 1_000, files: 500), (10_000, 500), (100_000, 500), (5_000, 5_000)]

    /// Measures everything.
    func run() throws {
        try opening()
        try manyFiles()
        try compiling()
    }

    /// Opening the table with its check of freshness, and the forced entry of one key.
    private func opening() throws {
        print("opening the compiled table and asking for one key, and libdconf, µs, median of 201, in one process each")
        print("keys                             policy.table        libdconf")
        for (keys, files) in PolicyBenchmark.sizes {
            let machine = try machine(keys: keys, files: files)
            defer { machine.remove() }
            try machine.compile()
            let ours = try machine.openingTime(key: "Key\(keys / files / 2)", domain: "org.example.d0")
            let peer = DconfPeer(folder: folder + "/dconf-\(keys)")
            let dconf =
                try peer.compile(keys: keys, files: files)
                ? peer.openingTime(key: "Key\(keys / files / 2)", domain: "org.example.d0") : nil
            print(Benchmarks.column("\(keys)", 30) + Benchmarks.number(ours, 15) + DconfPeer.column(dconf))
        }
    }

    /// Five hundred files of twenty keys, a tenth of them for the user, beside one file.
    private func manyFiles() throws {
        let one = try machine(keys: 20, files: 1)
        defer { one.remove() }
        try one.compile()
        let many = try machine(keys: 10_000, files: 500, tenth: true)
        defer { many.remove() }
        try many.compile()
        print(
            "500 files of 20 keys, a tenth for the user, µs: one key, an application's opening and first read, the user's whole set"
        )
        let base = try one.openingTimes()
        row("one file", base)
        row("each file asked about, above it", try many.openingTimes(), above: base)
        try many.watched {
            try many.compile()
            row("generation lock held, above it", try many.openingTimes(), above: base)
        }
        for files in [1, 500] {
            let peer = DconfPeer(folder: folder + "/dconf-\(files)-files")
            let dconf =
                try peer.compile(keys: 20 * files, files: files)
                ? peer.openingTime(key: "Key7", domain: "org.example.d0") : nil
            print(Benchmarks.column("libdconf, keys of \(files) files", 34) + DconfPeer.column(dconf))
        }
    }

    /// Prints figures of opening, or how far they are above others.
    private func row(
        _ name: String, _ times: PolicyBenchmarkMachine.OpeningTimes,
        above base: PolicyBenchmarkMachine.OpeningTimes = (0, 0, 0)
    ) {
        print(
            Benchmarks.column(name, 34) + Benchmarks.number(times.key - base.key, 12)
                + Benchmarks.number(times.application - base.application, 12)
                + Benchmarks.number(times.whole - base.whole, 12))
    }

    /// Compiling with origins and linting: reading, checking and merging 500 files, and writing the table.
    private func compiling() throws {
        // Commands compile and lint; an application that opens policy, as above, starts no threads for it.
        Workers.allow()
        let rounds = PolicyBenchmarkMachine.compilingRounds
        print(
            "compiling with origins and linting, ms, medians of \(rounds.few) rounds, \(rounds.many) of 100,000 keys;"
                + " dconf update of the same keys in turn; both in ratio to it, median of the rounds; MiB of a new"
                + " process")
        print("keys, files           compile        lint        both       dconf       ratio         MiB")
        for (keys, files) in PolicyBenchmark.compiled {
            let machine = try machine(keys: keys, files: files)
            defer { machine.remove() }
            try machine.compile()
            let figures = try machine.compilingTime(
                beside: try machine.dconfUpdate(keys: keys, files: files))
            let ratio = figures.dconf > 0 ? figures.ratio : nil
            print(
                Benchmarks.column("\(keys), \(files)", 18) + Benchmarks.number(figures.compile, 11)
                    + Benchmarks.number(figures.lint, 12) + Benchmarks.number(figures.both, 12)
                    + (ratio.map { Benchmarks.number(figures.dconf, 12) + Benchmarks.number($0, 12, digits: 2) }
                        ?? "           –           –")
                    + Benchmarks.number(try machine.compilingMemory(), 12))
        }
        if !FileManager.default.isExecutableFile(atPath: "/usr/bin/dconf") { print("dconf is not installed") }
    }

    /// Makes a machine.
    private func machine(keys: Int, files: Int, tenth: Bool = false) throws -> PolicyBenchmarkMachine {
        try PolicyBenchmarkMachine(folder: folder, keys: keys, files: files, tenth: tenth)
    }
}
