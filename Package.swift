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

/// Settings of source targets; `#expect` expands to code that strict memory safety flags, so test targets go without.
let strict: [SwiftSetting] = common + [.strictMemorySafety()]

/// What readers of policy link; the layer above them, MDPolicyAdministration, is for commands only.
let policy: [Target.Dependency] = ["MDPolicyModel", "MDPolicyFormats", "MDPolicyCore", "MDPolicyStore"]

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
    targets: [
        .target(name: "MDCPlatform"),
        // Linked into the programs: what has to happen before the runtime of a statically linked one starts.
        .target(name: "MDCStart"),
        .target(
            name: "MDPropertyList",
            swiftSettings: strict,
            // Rounding calls the mathematical library, and nothing imported here would link it.
            linkerSettings: [.linkedLibrary("m")]
        ),
        .target(name: "MDPlatform", dependencies: ["MDCPlatform"], swiftSettings: strict),
        .target(name: "MDPolicyModel", dependencies: ["MDPropertyList", "MDPlatform"], swiftSettings: strict),
        .target(
            name: "MDPolicyFormats", dependencies: ["MDPolicyModel", "MDPropertyList", "MDPlatform"],
            swiftSettings: strict
        ),
        .target(
            name: "MDPolicyCore", dependencies: ["MDPolicyModel", "MDPolicyFormats", "MDPropertyList", "MDPlatform"],
            swiftSettings: strict
        ),
        .target(
            name: "MDPolicyStore",
            dependencies: ["MDPolicyModel", "MDPolicyFormats", "MDPolicyCore", "MDPropertyList", "MDPlatform"],
            swiftSettings: strict
        ),
        .target(
            name: "MDPolicyAdministration",
            dependencies: [
                "MDPolicyModel", "MDPolicyFormats", "MDPolicyCore", "MDPolicyStore", "MDPropertyList", "MDPlatform",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "MDPrograms",
            dependencies: ["MDPolicyModel", "MDPolicyCore", "MDPropertyList", "MDPlatform"], swiftSettings: strict
        ),
        .target(name: "MDPreferences", dependencies: ["MDPropertyList", "MDPlatform"], swiftSettings: strict),
        .target(name: "MDAuditClient", dependencies: ["MDPropertyList", "MDPlatform"], swiftSettings: strict),
        .target(
            name: "MDAudit", dependencies: ["MDPolicyCore", "MDAuditClient", "MDPropertyList", "MDPlatform"],
            swiftSettings: strict
        ),
        .target(
            name: "MDDaemon",
            dependencies: [
                "MDPolicyModel", "MDPolicyCore", "MDPolicyStore", "MDAuditClient", "MDPropertyList", "MDPlatform",
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "mdefaultsd", dependencies: ["MDDaemon", "MDAuditClient", "MDPlatform", "MDCStart"],
            exclude: ["systemd"],
            swiftSettings: strict,
            // As for mdefaults.
            linkerSettings: [.unsafeFlags(["-Xlinker", "--no-export-dynamic"], .when(platforms: [.linux]))]
        ),
        .target(
            name: "MDEngine",
            dependencies: policy + ["MDCPlatform", "MDPropertyList", "MDPlatform", "MDPreferences", "MDAuditClient"],
            swiftSettings: strict
        ),
        .target(
            name: "ManagedDefaults",
            dependencies: policy + ["MDEngine", "MDPropertyList", "MDPlatform", "MDPreferences"],
            swiftSettings: strict
        ),
        // The interface for C; the functions of its header are in MDInterface.
        .target(name: "MDCInterface"),
        .target(
            name: "MDInterface",
            dependencies: [
                "MDCInterface", "MDPolicyModel", "MDPolicyCore", "MDEngine", "MDPropertyList", "MDPlatform",
                "MDCPlatform",
                "MDPreferences",
            ],
            exclude: ["exports.map"],
            swiftSettings: strict,
            // Programs see the functions of the header and nothing else. Its threads run on, so it is never unloaded.
            linkerSettings: [
                .unsafeFlags(
                    [
                        "-Xlinker", "-soname=libmanaged-defaults.so.1", "-Xlinker", "-z", "-Xlinker", "nodelete",
                        "-Xlinker", "--version-script=\(Context.packageDirectory)/Sources/MDInterface/exports.map",
                    ], .when(platforms: [.linux]))
            ]
        ),
        .target(
            name: "ManagedDefaultsTesting",
            dependencies: policy + [
                "ManagedDefaults", "MDEngine", "MDPreferences", "MDAuditClient", "MDPlatform", "MDPropertyList",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "ManagedDefaultsFoundation", dependencies: ["ManagedDefaults", "MDPlatform"], swiftSettings: strict
        ),
        .target(
            name: "MDCompliance",
            dependencies: policy + [
                "MDPolicyAdministration", "MDPrograms", "MDEngine", "MDPropertyList", "MDPlatform", "MDPreferences",
                "MDAudit", "MDAuditClient",
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "mdefaults",
            dependencies: policy + [
                "MDPolicyAdministration", "MDPrograms", "MDCompliance", "MDEngine", "MDPropertyList", "MDPlatform",
                "MDPreferences", "MDAudit", "MDAuditClient", "MDCStart",
            ],
            exclude: ["pam", "systemd"],
            swiftSettings: strict,
            // Swift's own arguments for static linking export every name, 5,000 of them, which the runtime searches
            // one by one when it starts: a tenth of a millisecond. Nothing is ever loaded into this program.
            linkerSettings: [.unsafeFlags(["-Xlinker", "--no-export-dynamic"], .when(platforms: [.linux]))]
        ),
        .executableTarget(
            name: "manual-pages", dependencies: ["MDPropertyList", "MDPlatform"], swiftSettings: strict),
        .plugin(
            name: "debian-package",
            capability: .command(
                intent: .custom(
                    verb: "debian-package", description: "Makes the Debian packages and an archive")),
            dependencies: ["manual-pages"], path: "Sources/debian-package", exclude: ["files", "maintainer"]
        ),
        .executableTarget(
            name: "managed-defaults-benchmarks",
            dependencies: policy + [
                "MDPolicyAdministration", "ManagedDefaults", "MDPreferences", "MDPropertyList", "MDPlatform",
                "MDAuditClient", "MDTestSupport", "mdefaultsd",
            ],
            swiftSettings: common
        ),
        .target(
            name: "MDTestSupport", dependencies: ["MDPlatform"], path: "Tests/MDTestSupport", swiftSettings: common),
        .target(
            name: "MDTestTimes", dependencies: ["MDTestSupport"], path: "Tests/MDTestTimes", swiftSettings: common),
        .target(name: "MDConformanceTable", path: "Tests/Conformance/Table", swiftSettings: common),
        .target(
            name: "MDConformanceDriver", dependencies: ["MDConformanceTable"], path: "Tests/Conformance/Driver",
            swiftSettings: common
        ),
        .executableTarget(
            name: "conformance-managed",
            dependencies: ["MDConformanceDriver", "MDConformanceTable", "ManagedDefaults"],
            path: "Tests/Conformance/Managed", swiftSettings: common
        ),
        .executableTarget(
            name: "conformance-subclass",
            dependencies: [
                "MDConformanceDriver", "MDConformanceTable", "ManagedDefaults", "ManagedDefaultsFoundation",
            ],
            path: "Tests/Conformance/Subclass", swiftSettings: common
        ),
        .executableTarget(
            name: "conformance-foundation", dependencies: ["MDConformanceDriver"], path: "Tests/Conformance/Foundation",
            swiftSettings: common
        ),
        .executableTarget(
            name: "conformance", dependencies: ["MDConformanceTable"], path: "Tests/Conformance/Compare",
            swiftSettings: common
        ),
        .testTarget(
            name: "MDConformanceTests",
            dependencies: ["MDTestTimes", "MDConformanceTable", "conformance-managed", "conformance-subclass"],
            path: "Tests/Conformance/Tests", swiftSettings: common
        ),
        .testTarget(
            name: "MDHouseTests", dependencies: ["MDTestSupport", "MDTestTimes", "library-probe"],
            swiftSettings: common
        ),
        .testTarget(
            name: "MDPropertyListTests", dependencies: ["MDTestSupport", "MDTestTimes", "MDPropertyList"],
            swiftSettings: common),
        .executableTarget(
            name: "soak",
            dependencies: ["MDTestSupport", "ManagedDefaults"],
            path: "Tests/Soak/Program",
            swiftSettings: common
        ),
        .testTarget(
            name: "MDSoakTests", dependencies: ["MDTestSupport", "MDTestTimes", "soak"], path: "Tests/Soak/Tests",
            swiftSettings: common
        ),
        .executableTarget(
            name: "watch-probe",
            dependencies: ["MDPlatform", "MDCPlatform"],
            path: "Tests/WatchProbe",
            swiftSettings: common
        ),
        .testTarget(
            name: "MDPlatformTests",
            dependencies: ["MDTestSupport", "MDTestTimes", "watch-probe", "MDPlatform", "MDCPlatform"],
            exclude: ["Fixtures"], swiftSettings: common
        ),
        .testTarget(
            name: "MDPolicyTests",
            dependencies: policy + [
                "MDPolicyAdministration", "MDTestSupport", "MDTestTimes", "MDPropertyList", "MDPlatform",
            ],
            exclude: ["Fixtures"],
            swiftSettings: common
        ),
        .testTarget(
            name: "MDProgramsTests",
            dependencies: policy + [
                "MDPolicyAdministration", "MDPrograms", "MDCompliance", "MDEngine", "MDTestSupport", "MDTestTimes",
                "MDPropertyList", "MDPlatform",
            ],
            swiftSettings: common
        ),
        .testTarget(
            name: "MDPreferencesTests",
            dependencies: [
                "MDTestSupport", "MDTestTimes", "store-test-program", "MDPreferences", "MDPropertyList", "MDPlatform",
            ],
            swiftSettings: common
        ),
        .executableTarget(
            name: "store-test-program", dependencies: ["MDPreferences", "MDPropertyList", "MDPlatform"],
            path: "Tests/StoreTestProgram", swiftSettings: common
        ),
        .testTarget(
            name: "MDAuditTests",
            dependencies: [
                "MDTestSupport", "MDTestTimes", "MDAudit", "MDPolicyCore", "MDAuditClient", "MDPropertyList",
                "MDPlatform",
            ],
            exclude: ["Fixtures"], swiftSettings: common
        ),
        .testTarget(
            name: "MDDaemonTests",
            dependencies: [
                "MDTestSupport", "MDTestTimes", "MDDaemon", "MDPolicyCore", "mdefaultsd", "mdefaults", "library-probe",
                "MDAudit", "MDCompliance", "conservation",
                "MDAuditClient", "MDPropertyList", "MDPlatform",
            ],
            swiftSettings: common
        ),
        .testTarget(
            name: "MDEngineTests",
            dependencies: policy + [
                "MDTestSupport", "MDTestTimes",
                "MDEngine", "MDPreferences", "MDAudit", "MDAuditClient", "MDPropertyList", "MDPlatform",
            ],
            swiftSettings: common
        ),
        .executableTarget(
            name: "log-generator", dependencies: ["MDAudit", "MDAuditClient", "MDPropertyList", "MDPlatform"],
            path: "Tests/TransparencyLog/Generator", swiftSettings: common
        ),
        .executableTarget(name: "kill-at", path: "Tests/KillAt"),
        .executableTarget(
            name: "conservation",
            dependencies: [
                "MDTestSupport", "MDAudit", "MDAuditClient", "MDPropertyList", "MDPlatform", "mdefaultsd",
            ],
            path: "Tests/Conservation", exclude: ["run"], swiftSettings: common
        ),
        .executableTarget(
            name: "library-probe", dependencies: ["ManagedDefaults", "MDPlatform"], path: "Tests/LibraryProbe",
            swiftSettings: common
        ),
        .testTarget(
            name: "MDRobustnessTests",
            dependencies: policy + [
                "MDPolicyAdministration", "MDCompliance", "MDEngine", "MDPreferences", "MDAudit", "MDAuditClient",
                "MDPropertyList",
                "MDPlatform",
                "MDTestSupport", "MDTestTimes",
                "ManagedDefaults", "mdefaults", "mdefaultsd", "kill-at", "library-probe",
            ],
            swiftSettings: common
        ),
        .testTarget(
            name: "MDCommandLineTests",
            dependencies: [
                "MDPolicyAdministration", "MDTestSupport", "MDTestTimes", "mdefaults", "MDAudit", "MDAuditClient",
                "MDPlatform",
                "MDPropertyList",
            ],
            exclude: ["Golden"], swiftSettings: common
        ),
        .testTarget(
            name: "MDPackagingTests",
            dependencies: ["MDTestSupport", "MDTestTimes", "mdefaults", "manual-pages", "MDPlatform"],
            exclude: ["Interface", "Shells"], swiftSettings: common
        ),
        .testTarget(
            name: "MDManagedDefaultsTestingTests",
            dependencies: [
                "MDTestSupport", "MDTestTimes", "ManagedDefaultsTesting", "ManagedDefaultsFoundation",
                "ManagedDefaults",
            ],
            swiftSettings: common
        ),
        .testTarget(
            name: "MDManagedDefaultsFoundationTests",
            dependencies: ["MDTestSupport", "MDTestTimes", "ManagedDefaultsFoundation", "ManagedDefaults"],
            swiftSettings: common
        ),
        .testTarget(
            name: "MDManagedDefaultsTests",
            dependencies: [
                "MDTestSupport", "MDTestTimes", "ManagedDefaults", "MDPropertyList", "MDPlatform", "mdefaults",
                "managed-defaults-benchmarks",
            ],
            swiftSettings: common
        ),
        .testTarget(
            name: "MDComplianceTests",
            dependencies: policy + [
                "MDTestSupport", "MDTestTimes",
                "MDPolicyAdministration", "MDCompliance", "MDEngine", "MDPreferences", "MDAudit", "MDAuditClient",
                "MDPropertyList",
                "MDPlatform",
            ],
            exclude: ["Golden"],
            swiftSettings: common
        ),
    ]
)
