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

let package = Package(
    name: "ManagedDefaults",
    products: [
        .library(name: "ManagedDefaults", targets: ["ManagedDefaults"]),
        .library(name: "ManagedDefaultsFoundation", targets: ["ManagedDefaultsFoundation"]),
        .library(name: "ManagedDefaultsTesting", targets: ["ManagedDefaultsTesting"]),
        .executable(name: "mdefaults", targets: ["mdefaults"]),
    ],
    targets: [
        .target(name: "CPlatform"),
        .target(
            name: "PropertyList",
            swiftSettings: strict,
            // Rounding calls the mathematical library, and nothing imported here would link it.
            linkerSettings: [.linkedLibrary("m")]
        ),
        .target(name: "Platform", dependencies: ["CPlatform"], swiftSettings: strict),
        .target(name: "Policy", dependencies: ["PropertyList", "Platform"], swiftSettings: strict),
        .target(name: "Preferences", dependencies: ["PropertyList", "Platform"], swiftSettings: strict),
        .target(name: "Audit", dependencies: ["PropertyList", "Platform"], swiftSettings: strict),
        .target(
            name: "Engine",
            dependencies: ["CPlatform", "PropertyList", "Platform", "Policy", "Preferences", "Audit"],
            swiftSettings: strict
        ),
        .target(
            name: "ManagedDefaults",
            dependencies: ["Engine", "PropertyList", "Platform", "Policy", "Preferences", "Audit"],
            swiftSettings: strict
        ),
        .target(
            name: "ManagedDefaultsTesting",
            dependencies: ["ManagedDefaults", "Engine", "Policy", "Preferences", "Audit", "Platform", "PropertyList"],
            swiftSettings: strict
        ),
        .target(
            name: "ManagedDefaultsFoundation", dependencies: ["ManagedDefaults", "Platform"], swiftSettings: strict
        ),
        .target(
            name: "Compliance",
            dependencies: ["Engine", "PropertyList", "Platform", "Policy", "Preferences", "Audit"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "mdefaults",
            dependencies: ["Compliance", "Engine", "PropertyList", "Platform", "Policy", "Preferences", "Audit"],
            exclude: ["systemd"],
            swiftSettings: strict,
            // Swift's own arguments for static linking export every name, 5,000 of them, which the runtime searches
            // one by one when it starts: a tenth of a millisecond. Nothing is ever loaded into this program.
            linkerSettings: [.unsafeFlags(["-Xlinker", "--no-export-dynamic"], .when(platforms: [.linux]))]
        ),
        .executableTarget(
            name: "managed-defaults-benchmarks",
            dependencies: ["ManagedDefaults", "Policy", "Preferences", "PropertyList", "Platform", "TestSupport"],
            swiftSettings: common
        ),
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: common),
        .target(name: "ConformanceTable", path: "Tests/Conformance/Table", swiftSettings: common),
        .target(
            name: "ConformanceDriver", dependencies: ["ConformanceTable"], path: "Tests/Conformance/Driver",
            swiftSettings: common
        ),
        .executableTarget(
            name: "conformance-managed", dependencies: ["ConformanceDriver", "ConformanceTable", "ManagedDefaults"],
            path: "Tests/Conformance/Managed", swiftSettings: common
        ),
        .executableTarget(
            name: "conformance-subclass",
            dependencies: ["ConformanceDriver", "ConformanceTable", "ManagedDefaults", "ManagedDefaultsFoundation"],
            path: "Tests/Conformance/Subclass", swiftSettings: common
        ),
        .executableTarget(
            name: "conformance-foundation", dependencies: ["ConformanceDriver"], path: "Tests/Conformance/Foundation",
            swiftSettings: common
        ),
        .executableTarget(
            name: "conformance", dependencies: ["ConformanceTable"], path: "Tests/Conformance/Compare",
            swiftSettings: common
        ),
        .testTarget(
            name: "ConformanceTests",
            dependencies: ["ConformanceTable", "conformance-managed", "conformance-subclass"],
            path: "Tests/Conformance/Tests", swiftSettings: common
        ),
        .testTarget(name: "PropertyListTests", dependencies: ["TestSupport", "PropertyList"], swiftSettings: common),
        .executableTarget(
            name: "soak",
            dependencies: ["TestSupport", "ManagedDefaults"],
            path: "Tests/Soak/Program",
            swiftSettings: common
        ),
        .testTarget(
            name: "SoakTests", dependencies: ["TestSupport", "soak"], path: "Tests/Soak/Tests", swiftSettings: common
        ),
        .executableTarget(
            name: "watch-probe",
            dependencies: ["Platform", "CPlatform"],
            path: "Tests/WatchProbe",
            swiftSettings: common
        ),
        .testTarget(
            name: "PlatformTests", dependencies: ["TestSupport", "watch-probe", "Platform", "CPlatform"],
            exclude: ["Fixtures"], swiftSettings: common
        ),
        .testTarget(
            name: "PolicyTests",
            dependencies: ["TestSupport", "Policy", "PropertyList", "Platform"],
            exclude: ["Fixtures"],
            swiftSettings: common
        ),
        .testTarget(
            name: "PreferencesTests",
            dependencies: ["TestSupport", "store-test-program", "Preferences", "PropertyList", "Platform"],
            swiftSettings: common
        ),
        .executableTarget(
            name: "store-test-program", dependencies: ["Preferences", "PropertyList", "Platform"],
            path: "Tests/StoreTestProgram", swiftSettings: common
        ),
        .testTarget(
            name: "AuditTests", dependencies: ["TestSupport", "Audit", "PropertyList", "Platform"],
            exclude: ["Fixtures"], swiftSettings: common
        ),
        .testTarget(
            name: "EngineTests",
            dependencies: ["Engine", "Policy", "Preferences", "Audit", "PropertyList", "Platform"],
            swiftSettings: common
        ),
        .executableTarget(name: "kill-at", path: "Tests/KillAt"),
        .executableTarget(
            name: "library-probe", dependencies: ["ManagedDefaults", "Platform"], path: "Tests/LibraryProbe",
            swiftSettings: common
        ),
        .testTarget(
            name: "RobustnessTests",
            dependencies: [
                "Compliance", "Engine", "Policy", "Preferences", "Audit", "PropertyList", "Platform", "TestSupport",
                "ManagedDefaults", "mdefaults", "kill-at", "library-probe",
            ],
            swiftSettings: common
        ),
        .testTarget(
            name: "CommandLineTests", dependencies: ["TestSupport", "mdefaults", "Audit", "Platform", "PropertyList"],
            exclude: ["Golden"], swiftSettings: common
        ),
        .testTarget(
            name: "ManagedDefaultsTestingTests",
            dependencies: ["ManagedDefaultsTesting", "ManagedDefaultsFoundation", "ManagedDefaults"],
            swiftSettings: common
        ),
        .testTarget(
            name: "ManagedDefaultsFoundationTests",
            dependencies: ["TestSupport", "ManagedDefaultsFoundation", "ManagedDefaults"],
            swiftSettings: common
        ),
        .testTarget(
            name: "ManagedDefaultsTests",
            dependencies: [
                "TestSupport", "ManagedDefaults", "PropertyList", "Platform", "mdefaults",
                "managed-defaults-benchmarks",
            ],
            swiftSettings: common
        ),
        .testTarget(
            name: "ComplianceTests",
            dependencies: ["Compliance", "Engine", "Policy", "Preferences", "Audit", "PropertyList", "Platform"],
            exclude: ["Golden"],
            swiftSettings: common
        ),
    ]
)
