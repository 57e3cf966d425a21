// swift-tools-version: 6.2
import PackageDescription

/// As swift-configuration is built: an async function runs where its caller does.
let settings: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

let package = Package(
    name: "service",
    products: [.library(name: "ManagedConfiguration", targets: ["ManagedConfiguration"])],
    dependencies: [
        .package(name: "ManagedDefaults", path: "../.."),
        .package(
            url: "https://github.com/apple/swift-configuration", from: "1.0.0",
            traits: [.defaults, "CommandLineArguments"]),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.3"),
    ],
    targets: [
        .target(
            name: "ManagedConfiguration",
            dependencies: [
                .product(name: "ManagedDefaults", package: "ManagedDefaults"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
            ], swiftSettings: settings),
        .executableTarget(name: "service", dependencies: ["ManagedConfiguration"]),
        .testTarget(
            name: "ManagedConfigurationTests",
            dependencies: [
                "ManagedConfiguration",
                .product(name: "ManagedDefaultsTesting", package: "ManagedDefaults"),
                .product(name: "ConfigurationTesting", package: "swift-configuration"),
            ]),
    ]
)
