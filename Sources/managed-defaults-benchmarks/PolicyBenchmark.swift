import Foundation
import Platform
import Policy
import PropertyList

/// Times compiled policy: opening it and asking for one key, and compiling it, beside dconf where that is installed.
///
/// `swift run -c release managed-defaults-benchmarks policy` prints microseconds and milliseconds.
struct PolicyBenchmark {
    /// The folder that everything lies in.
    let folder: String

    /// The sizes: keys, and the files that they are spread over.
    static let sizes = [(keys: 10, files: 1), (1_000, 1), (10_000, 1), (100_000, 1)]
    /// The sizes that are compiled.
    static let compiled = [1_000, 10_000, 100_000]

    /// Measures everything.
    func run() throws {
        try opening()
        try manyFiles()
        try compiling()
    }

    /// Opening the table with its check of freshness, and the forced entry of one key.
    private func opening() throws {
        print("opening the compiled table and asking for one key, µs, median of 201, in this process")
        print("keys                             policy.table")
        for (keys, files) in PolicyBenchmark.sizes {
            let machine = try machine(keys: keys, files: files)
            defer { machine.remove() }
            try machine.compile()
            let ours = try machine.openingTime(key: "Key\(keys / files / 2)", domain: "org.example.d0")
            print(Benchmarks.column("\(keys)", 30) + Benchmarks.number(ours, 15))
        }
    }

    /// Five hundred files of twenty keys, of which a tenth are for the user, beside one file.
    private func manyFiles() throws {
        let one = try machine(keys: 20, files: 1)
        defer { one.remove() }
        try one.compile()
        let many = try machine(keys: 10_000, files: 500, tenth: true)
        defer { many.remove() }
        try many.compile()
        let (domain, key) = ("org.example.d0", "Key7")
        let (base, cold) = (
            try one.openingTime(key: key, domain: domain), try many.openingTime(key: key, domain: domain)
        )
        print("500 files of 20 keys, a tenth for the user; one key, µs: one file, and above it")
        print(Benchmarks.column("one file", 30) + Benchmarks.number(base, 15))
        print(Benchmarks.column("each file asked about", 30) + Benchmarks.number(cold - base, 15))
        print(
            Benchmarks.column("the user's whole set", 30)
                + Benchmarks.number(try many.resolvingTime() - one.resolvingTime(), 15))
        try many.watched {
            try many.compile()
            print(
                Benchmarks.column("generation lock held", 30)
                    + Benchmarks.number(try many.openingTime(key: key, domain: domain) - base, 15))
            print(
                Benchmarks.column("the user's whole set", 30)
                    + Benchmarks.number(try many.resolvingTime() - one.resolvingTime(), 15))
        }
    }

    /// Compiling with origins and linting: reading, checking and merging 500 files, and writing the table.
    private func compiling() throws {
        print(
            "compiling 500 files, ms, median of 5: reading and compiling, linting, both; dconf update of the same keys")
        for keys in PolicyBenchmark.compiled {
            let machine = try machine(keys: keys, files: 500)
            defer { machine.remove() }
            try machine.compile()
            let figures = try machine.compilingTime()
            let dconf = try machine.dconfTime(keys: keys, files: 500)
            print(
                Benchmarks.column("\(keys) keys", 16) + Benchmarks.number(figures.compile, 12)
                    + Benchmarks.number(figures.lint, 12) + Benchmarks.number(figures.compile + figures.lint, 12)
                    + (dconf.map { Benchmarks.number($0, 12) } ?? "  dconf is not installed"))
        }
    }

    /// Makes a machine.
    private func machine(keys: Int, files: Int, tenth: Bool = false) throws -> PolicyBenchmarkMachine {
        try PolicyBenchmarkMachine(folder: folder, keys: keys, files: files, tenth: tenth)
    }
}
