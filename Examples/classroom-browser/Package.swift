// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "classroom-browser",
    dependencies: [.package(name: "ManagedDefaults", path: "../..")],
    targets: [
        .executableTarget(
            name: "classroom-browser",
            dependencies: [.product(name: "ManagedDefaults", package: "ManagedDefaults")])
    ]
)
