// swift-tools-version: 6.3
import PackageDescription

/// The names that an application gives its own targets, and that targets of ManagedDefaults had once.
let names = ["Audit", "Engine", "Platform", "Policy", "Preferences", "PropertyList", "TestSupport"]

// SwiftPM refuses two targets of one name in a whole graph of packages, so this package builds only as long as no target of
// ManagedDefaults has such a name.
let package = Package(
    name: "Collision",
    dependencies: [.package(name: "ManagedDefaults", path: "../../..")],
    targets: names.map { .target(name: $0) } + [
        .executableTarget(
            name: "collision",
            dependencies: names.map { .target(name: $0) } + [
                .product(name: "ManagedDefaults", package: "ManagedDefaults"),
                .product(name: "ManagedDefaultsFoundation", package: "ManagedDefaults"),
                .product(name: "ManagedDefaultsTesting", package: "ManagedDefaults"),
            ])
    ]
)
