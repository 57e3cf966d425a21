// swift-tools-version: 6.3
import PackageDescription

/// Settings of every target: Swift 6 mode, no warning left standing, and the features the next language mode brings.
let common: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
]

/// Makes the linker able to leave out each function that a program does not call: a fifth of an application.
///
/// Else a module's functions are one section, and each that another module may call counts as used.
///
/// The third setting: generic types are made by functions that know which conformances they need. Else the runtime finds a
/// type by its name, and searches all conformances of the program for each key of a dictionary: two thirds of what an
/// application's opening computes.
let separable: SwiftSetting = .unsafeFlags(
    [
        "-Xfrontend", "-function-sections", "-Xfrontend", "-internalize-at-link",
        "-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors",
    ], .when(configuration: .release))

/// Settings of source targets; `#expect` expands to code that strict memory safety flags, so test targets go without.
let strict: [SwiftSetting] = common + [.strictMemorySafety(), separable]

/// Settings of what only commands link and that computes little: the code is a tenth smaller.
let small: [SwiftSetting] = strict + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

/// Arguments of programs into which nothing is ever loaded.
///
/// Swift's own arguments for static linking export every name, 5,000 of them, which the runtime searches one by one when
/// it starts: a tenth of a millisecond.
let unexported: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "--no-export-dynamic"], .when(platforms: [.linux]))
]

/// What applications link of the system.
let base: [Target.Dependency] = ["MDPropertyList", "MDPlatform"]
/// What only the service, commands and programs need of it comes on top.
let tools: [Target.Dependency] = base + ["MDTools"]
/// What readers of policy link; the layer above them, MDPolicyAdministration, is for commands only.
let policy: [Target.Dependency] = ["MDPolicyModel", "MDPolicyFormats", "MDPolicyCore", "MDPolicyStore"]
/// What applications link of the audit log.
let audit: [Target.Dependency] = ["MDAuditRecord", "MDAuditLog", "MDAuditClient"]
/// What commands link of this machine.
let machine: [Target.Dependency] = ["MDPrograms", "MDCare", "MDReport", "MDFleet"]

/// Base: values and the system.
let baseTargets: [Target] = [
    .target(name: "MDCPlatform", path: "Sources/Base/MDCPlatform"),
    .target(
        name: "MDPropertyList", path: "Sources/Base/MDPropertyList", swiftSettings: strict,
        // Rounding calls the mathematical library, and nothing imported here would link it.
        linkerSettings: [.linkedLibrary("m")]
    ),
    .target(
        name: "MDPlatform", dependencies: ["MDCPlatform"], path: "Sources/Base/MDPlatform", swiftSettings: strict),
    .target(
        name: "MDTools", dependencies: ["MDCPlatform", "MDPlatform"], path: "Sources/Base/MDTools",
        swiftSettings: strict),
]

/// Policy: from a file to the resultant set of a user.
let policyTargets: [Target] = [
    .target(
        name: "MDPolicyModel", dependencies: base, path: "Sources/Policy/MDPolicyModel", swiftSettings: strict),
    .target(
        name: "MDPolicyFormats", dependencies: base + ["MDPolicyModel"], path: "Sources/Policy/MDPolicyFormats",
        swiftSettings: strict),
    .target(
        name: "MDPolicyCore", dependencies: base + ["MDPolicyModel", "MDPolicyFormats"],
        path: "Sources/Policy/MDPolicyCore", swiftSettings: strict),
    .target(
        name: "MDPolicyStore", dependencies: base + ["MDPolicyModel", "MDPolicyFormats", "MDPolicyCore"],
        path: "Sources/Policy/MDPolicyStore", swiftSettings: strict),
    .target(
        name: "MDPolicyAdministration", dependencies: tools + policy, path: "Sources/Policy/MDPolicyAdministration",
        swiftSettings: strict),
]

/// Audit: from an attempt to a record, and from records to answers.
let auditTargets: [Target] = [
    .target(
        name: "MDAuditRecord", dependencies: base, path: "Sources/Audit/MDAuditRecord", swiftSettings: strict),
    .target(
        name: "MDAuditLog", dependencies: base + ["MDAuditRecord"], path: "Sources/Audit/MDAuditLog",
        swiftSettings: strict),
    .target(
        name: "MDAuditClient", dependencies: base + ["MDAuditRecord", "MDAuditLog"],
        path: "Sources/Audit/MDAuditClient", swiftSettings: strict),
    .target(
        name: "MDAuditReading", dependencies: tools + audit + ["MDPolicyCore"], path: "Sources/Audit/MDAuditReading",
        swiftSettings: strict),
    .target(
        name: "MDAuditDaemon", dependencies: tools + audit + ["MDPolicyModel", "MDPolicyCore", "MDPolicyStore"],
        path: "Sources/Audit/MDAuditDaemon", swiftSettings: strict),
]

/// Defaults: a user's domains, the search list, and what applications import.
let defaultsTargets: [Target] = [
    .target(
        name: "MDPreferences", dependencies: base, path: "Sources/Defaults/MDPreferences", swiftSettings: strict),
    .target(
        name: "MDEngine", dependencies: base + policy + audit + ["MDCPlatform", "MDPreferences"],
        path: "Sources/Defaults/MDEngine", swiftSettings: strict),
    .target(
        name: "ManagedDefaults", dependencies: base + policy + ["MDEngine", "MDPreferences"],
        path: "Sources/Defaults/ManagedDefaults", swiftSettings: strict),
    .target(
        name: "ManagedDefaultsFoundation", dependencies: ["ManagedDefaults", "MDPlatform"],
        path: "Sources/Defaults/ManagedDefaultsFoundation", swiftSettings: strict),
    .target(
        name: "ManagedDefaultsTesting",
        dependencies: base + policy + audit + ["ManagedDefaults", "MDEngine", "MDPreferences"],
        path: "Sources/Defaults/ManagedDefaultsTesting", swiftSettings: strict),
    // The interface for C; the functions of its header are in MDInterface.
    .target(name: "MDCInterface", path: "Sources/Defaults/MDCInterface"),
    .target(
        name: "MDInterface",
        dependencies: base + [
            "MDCInterface", "MDCPlatform", "MDPolicyModel", "MDPolicyCore", "MDPolicyStore", "MDEngine",
            "MDPreferences",
        ],
        path: "Sources/Defaults/MDInterface", exclude: ["exports.map", "symbols"], swiftSettings: strict,
        // Programs see the functions of the header and nothing else. Its threads run on, so it is never unloaded.
        linkerSettings: [
            .unsafeFlags(
                [
                    "-Xlinker", "-soname=libmanaged-defaults.so.1", "-Xlinker", "-z", "-Xlinker", "nodelete",
                    "-Xlinker",
                    "--version-script=\(Context.packageDirectory)/Sources/Defaults/MDInterface/exports.map",
                ], .when(platforms: [.linux]))
        ]
    ),
]

/// Programs: what other programs obey.
let programTargets: [Target] = [
    .target(
        name: "MDPrograms", dependencies: tools + ["MDPolicyModel", "MDPolicyCore"],
        path: "Sources/Programs/MDPrograms", swiftSettings: small)
]

/// Machine: what commands look after on a machine, and what reports say of it.
let machineTargets: [Target] = [
    .target(
        name: "MDCare",
        dependencies: tools + policy + audit + [
            "MDPolicyAdministration", "MDAuditReading", "MDPreferences", "MDEngine", "MDPrograms",
        ],
        path: "Sources/Machine/MDCare", swiftSettings: small),
    .target(
        name: "MDReport",
        dependencies: tools + policy + audit + [
            "MDPolicyAdministration", "MDAuditReading", "MDPreferences", "MDEngine", "MDPrograms", "MDCare",
        ],
        path: "Sources/Machine/MDReport", swiftSettings: small),
    .target(
        name: "MDFleet",
        dependencies: tools + policy + audit + [
            "MDPolicyAdministration", "MDAuditReading", "MDEngine", "MDPrograms", "MDCare", "MDReport",
        ],
        path: "Sources/Machine/MDFleet", swiftSettings: small),
]

/// Commands: one verb a file, and what makes packages of them.
let commandTargets: [Target] = [
    // Linked into the programs: what has to happen before the runtime of a statically linked one starts.
    .target(name: "MDCStart", path: "Sources/Commands/MDCStart"),
    // Linked into mdefaults: the example machine and the schema, by `#embed` of C23.
    .target(name: "MDCEmbedded", path: "Sources/Commands/MDCEmbedded"),
    .executableTarget(
        name: "mdefaults",
        dependencies: tools + policy + audit + machine + [
            "MDPolicyAdministration", "MDAuditReading", "MDPreferences", "MDEngine", "MDCStart",
            "MDCEmbedded",
        ],
        path: "Sources/Commands/mdefaults", exclude: ["pam", "systemd"], swiftSettings: small,
        linkerSettings: unexported),
    .executableTarget(
        name: "mdefaultsd", dependencies: tools + audit + ["MDAuditDaemon", "MDCStart"],
        path: "Sources/Commands/mdefaultsd", exclude: ["systemd"], swiftSettings: strict,
        linkerSettings: unexported),
    // In C, and linked dynamically in packages: the name services are libraries, which a static program cannot load.
    .executableTarget(name: "mdefaults-names", path: "Sources/Commands/mdefaults-names"),
    .executableTarget(
        name: "manual-pages", dependencies: base, path: "Sources/Commands/manual-pages", swiftSettings: strict),
    .plugin(
        name: "debian-package",
        capability: .command(
            intent: .custom(verb: "debian-package", description: "Makes the Debian packages and an archive")),
        dependencies: ["manual-pages"], path: "Sources/Commands/debian-package", exclude: ["files", "maintainer"]),
]

/// What tests and measurements share, and the programs that they start.
let supportTargets: [Target] = [
    .target(
        name: "MDTestSupport", dependencies: ["MDPlatform"], path: "Tests/Support/MDTestSupport", swiftSettings: common),
    // Nothing imports it: linked into the tests, it gives their tasks more threads.
    .target(name: "MDTestThreads", path: "Tests/Support/MDTestThreads", swiftSettings: common),
    .executableTarget(name: "kill-at", path: "Tests/Support/KillAt"),
    .executableTarget(
        name: "library-probe", dependencies: ["ManagedDefaults", "MDPlatform"], path: "Tests/Support/LibraryProbe",
        swiftSettings: common),
    .executableTarget(
        name: "store-test-program", dependencies: base + ["MDPreferences"], path: "Tests/Support/StoreTestProgram",
        swiftSettings: common),
    .executableTarget(
        name: "watch-probe", dependencies: ["MDPlatform", "MDCPlatform"], path: "Tests/Support/WatchProbe",
        swiftSettings: common),
    .executableTarget(
        name: "managed-defaults-benchmarks",
        dependencies: base + policy + audit + [
            "MDPolicyAdministration", "ManagedDefaults", "MDPreferences", "MDTestSupport", "mdefaultsd",
        ],
        path: "Tests/Benchmarks/managed-defaults-benchmarks", swiftSettings: common),
    .executableTarget(
        name: "fork-check", dependencies: ["MDCPlatform", "MDPlatform", "MDEngine", "ManagedDefaults"],
        path: "Tests/Checks/Fork/Program", swiftSettings: common),
    .executableTarget(
        name: "soak", dependencies: ["MDTestSupport", "ManagedDefaults"], path: "Tests/Checks/Soak/Program",
        swiftSettings: common),
    .executableTarget(
        name: "conservation", dependencies: tools + audit + ["MDTestSupport", "MDAuditReading", "mdefaultsd"],
        path: "Tests/Checks/Conservation/Program", swiftSettings: common),
    .executableTarget(
        name: "log-generator", dependencies: base + audit + ["MDAuditReading"],
        path: "Tests/Checks/TransparencyLog/Generator", swiftSettings: common),
]

/// The documents of NSUserDefaults as a table of rows, and who runs it.
let conformanceTargets: [Target] = [
    .target(name: "MDConformanceTable", path: "Tests/Conformance/Table", swiftSettings: common),
    .target(
        name: "MDConformanceDriver", dependencies: ["MDConformanceTable"], path: "Tests/Conformance/Driver",
        swiftSettings: common),
    .executableTarget(
        name: "conformance-managed", dependencies: ["MDConformanceDriver", "MDConformanceTable", "ManagedDefaults"],
        path: "Tests/Conformance/Managed", swiftSettings: common),
    .executableTarget(
        name: "conformance-subclass",
        dependencies: ["MDConformanceDriver", "MDConformanceTable", "ManagedDefaults", "ManagedDefaultsFoundation"],
        path: "Tests/Conformance/Subclass", swiftSettings: common),
    .executableTarget(
        name: "conformance-foundation", dependencies: ["MDConformanceDriver"], path: "Tests/Conformance/Foundation",
        swiftSettings: common),
    .executableTarget(
        name: "conformance", dependencies: ["MDConformanceTable"], path: "Tests/Conformance/Compare",
        swiftSettings: common),
    .testTarget(
        name: "MDConformanceTests",
        dependencies: ["MDConformanceTable", "conformance-managed", "conformance-subclass"],
        path: "Tests/Conformance/Tests", swiftSettings: common),
]

/// A target of unit tests, which lies in a folder of its name.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: ["MDTestSupport", "MDTestThreads"] + dependencies, exclude: exclude,
        swiftSettings: common)
}

let testTargets: [Target] = [
    tests("MDHouseTests", ["library-probe"]),
    tests("MDPropertyListTests", ["MDPropertyList"]),
    tests(
        "MDPlatformTests", ["watch-probe", "mdefaults-names", "MDPlatform", "MDTools", "MDCPlatform"],
        exclude: ["Fixtures"]),
    tests("MDPolicyTests", tools + policy + ["MDPolicyAdministration", "MDPrograms"], exclude: ["Fixtures"]),
    tests("MDProgramsTests", tools + policy + ["MDPolicyAdministration", "MDPrograms", "MDCare", "MDEngine"]),
    tests("MDPreferencesTests", base + ["store-test-program", "MDPreferences"]),
    tests("MDAuditTests", tools + audit + ["MDAuditReading", "MDPolicyCore"], exclude: ["Fixtures"]),
    tests(
        "MDAuditDaemonTests",
        tools + audit + [
            "MDAuditDaemon", "MDAuditReading", "MDPolicyCore", "MDCare", "mdefaultsd", "mdefaults", "library-probe",
            "conservation",
        ]),
    tests(
        "MDEngineTests",
        base + policy + audit + ["MDPolicyAdministration", "MDEngine", "MDPreferences", "MDAuditReading"]),
    tests(
        "MDRobustnessTests",
        tools + policy + audit + [
            "MDPolicyAdministration", "MDCare", "MDReport", "MDEngine", "MDPreferences", "MDAuditReading",
            "ManagedDefaults", "mdefaults", "mdefaults-names", "mdefaultsd", "kill-at", "library-probe",
        ]),
    tests(
        "MDCommandLineTests", tools + audit + ["MDPolicyAdministration", "MDAuditReading", "mdefaults"],
        exclude: ["Golden"]),
    tests(
        "MDPackagingTests", ["mdefaults", "manual-pages", "MDPlatform"], exclude: ["Interface", "Python", "Shells"]),
    tests(
        "MDManagedDefaultsTests",
        base + policy + [
            "MDPolicyAdministration", "MDPreferences", "ManagedDefaults", "mdefaults", "managed-defaults-benchmarks",
            "fork-check",
        ]),
    tests("MDManagedDefaultsTestingTests", ["ManagedDefaultsTesting", "ManagedDefaultsFoundation", "ManagedDefaults"]),
    tests("MDManagedDefaultsFoundationTests", ["ManagedDefaultsFoundation", "ManagedDefaults"]),
    tests(
        "MDMachineTests",
        tools + policy + audit + [
            "MDPolicyAdministration", "MDPrograms", "MDCare", "MDReport", "MDEngine", "MDPreferences",
            "MDAuditReading",
        ], exclude: ["Golden"]),
    tests(
        "MDFleetTests",
        tools + policy + audit + [
            "MDPolicyAdministration", "MDAuditReading", "MDEngine", "MDCare", "MDReport", "MDFleet", "mdefaults",
        ]),
    tests("MDSoakTests", ["soak"]),
]

let package = Package(
    name: "ManagedDefaults",
    products: [
        .library(name: "ManagedDefaults", targets: ["ManagedDefaults"]),
        .library(name: "ManagedDefaultsFoundation", targets: ["ManagedDefaultsFoundation"]),
        .library(name: "ManagedDefaultsTesting", targets: ["ManagedDefaultsTesting"]),
        .executable(name: "mdefaults", targets: ["mdefaults"]),
        .executable(name: "mdefaultsd", targets: ["mdefaultsd"]),
        .library(name: "managed-defaults", type: .dynamic, targets: ["MDInterface"]),
    ],
    targets: baseTargets + policyTargets + auditTargets + defaultsTargets + programTargets + machineTargets
        + commandTargets + supportTargets + conformanceTargets + testTargets
)
