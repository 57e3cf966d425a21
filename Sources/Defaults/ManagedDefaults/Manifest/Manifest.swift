import MDPlatform
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

extension ManagedDefaults {
    /// What an application says of its settings to administrators: types, defaults, limits, choices, titles.
    ///
    /// ```swift
    /// extension ManagedDefaults.Keys {
    ///     static let homePage = Key("HomePage", default: "about:blank")
    ///     static let zoom = Key("ZoomLevel", default: 1.0)
    /// }
    ///
    /// let manifest = ManagedDefaults.Manifest(
    ///     "org.example.Browser", title: "Browser",
    ///     keys: [
    ///         .init(.homePage, "Home page", "The page that a new window shows"),
    ///         .init(.zoom, "Zoom", "The scale of pages; 1 for their own size", minimum: 0.25, maximum: 5),
    ///     ])
    /// manifest.printIfAsked()                     // at the start of the program
    /// ```
    ///
    /// The package of the application ships what `--dump-manifest` prints in `/usr/share/managed-defaults/manifests.d`.
    /// There `mdefaults policy lint`, `policy install` and reports read it. A program that describes no settings does
    /// nothing for it when it starts.
    public struct Manifest: Sendable {
        /// The argument that asks for the manifest.
        public static let argument = "--dump-manifest"

        /// The domain of the settings.
        public let domain: String
        /// The application's name, for people.
        public let title: String
        /// What the application or the domain is for; may be empty.
        public let description: String
        /// The settings: all that the application reads of the domain, because lint warns of any other.
        public let keys: [DescribedKey]

        /// Describes the settings of a domain.
        ///
        /// - Parameters:
        ///   - domain: the domain, as for ``ManagedDefaults/identify(as:)``.
        ///   - title: the application's name, for people.
        ///   - description: what the application or the domain is for.
        ///   - keys: all settings that the application reads of the domain.
        public init(_ domain: String, title: String = "", description: String = "", keys: [DescribedKey]) {
            self.domain = domain
            self.title = title
            self.description = description
            self.keys = keys
        }

        /// Makes the text of the manifest, the same for the same settings.
        ///
        /// - Returns: an XML property list in the format of ProfileManifests.
        /// - Throws: ``ManifestError`` if the domain or a key has an impossible name, a key is there twice, or a limit,
        ///   a choice or a default does not fit the others.
        public func text() throws(ManifestError) -> String {
            let name = MDPropertyList.Key(domain)
            if let reason = PolicyName.domainError(name) { throw ManifestError("The domain \"\(domain)\" \(reason).") }
            var known: [MDPropertyList.Key: ManifestKey] = [:]
            for key in keys {
                let described = try key.describe()
                guard known.updateValue(described, forKey: described.name) == nil else {
                    throw ManifestError("\(described.name) is there twice.")
                }
            }
            let manifest = MDPolicyStore.Manifest(
                domain: name, title: title, description: description, keys: known, isWhole: true)
            do throws(PropertyListError) {
                return String(decoding: try XMLWriter.write(manifest.propertyList), as: UTF8.self)
            } catch {
                throw ManifestError("The manifest of \(domain) cannot be written: \(error.message).")
            }
        }

        /// Prints the manifest and ends the program, if the only argument of the program is `--dump-manifest`.
        ///
        /// Call it at the start of the program. It opens no defaults and reads no policy, so that a build may call it.
        /// The program ends with 1, and a sentence on standard error, if there is no manifest or it cannot be printed.
        public func printIfAsked() {
            let arguments = CurrentProcess.arguments
            guard arguments.count == 1, arguments.first == Manifest.argument else { return }
            do {
                try StandardStream.output.write(Array(try text().utf8))
            } catch {
                try? StandardStream.error.write(Array("\(error)\n".utf8))
                ProcessExit.end(1)
            }
            ProcessExit.end(0)
        }
    }

    /// Why an application has no manifest: a mistake in its code.
    public struct ManifestError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The reason, in a sentence.
        public let message: String

        /// The reason, in a sentence.
        public var description: String { message }

        init(_ message: String) { self.message = message }
    }
}

extension ManagedDefaults.Manifest {
    /// A setting with what administrators need to know of it.
    ///
    /// Type and default are those of the ``ManagedDefaults/Key``. So are the choices of an enumeration that is
    /// `CaseIterable`, and the limits of a narrow integer.
    public struct DescribedKey: Sendable {
        /// Describes the setting.
        let describe: @Sendable () throws(ManagedDefaults.ManifestError) -> ManifestKey

        /// Describes a setting.
        ///
        /// - Parameters:
        ///   - key: the setting.
        ///   - title: a short name.
        ///   - description: what the setting does.
        ///   - minimum: the least number or date.
        ///   - maximum: the greatest number or date.
        ///   - choices: the only values that there are.
        ///   - isSensitive: whether values must not be shown in lists, reports and records.
        public init<Value: Sendable>(
            _ key: ManagedDefaults.Key<Value>, _ title: String = "", _ description: String = "",
            minimum: Value? = nil, maximum: Value? = nil, choices: [Value]? = nil, isSensitive: Bool = false
        ) {
            describe = { () throws(ManagedDefaults.ManifestError) in
                /// The stored form of a value.
                func stored(_ value: Value?) throws(ManagedDefaults.ManifestError) -> MDPropertyList.Value? {
                    do {
                        return try value.flatMap { try key.codec.encode($0) }
                    } catch {
                        throw ManagedDefaults.ManifestError(
                            "A value of \(key.name) cannot be stored. \(CodingSentence.of(error))")
                    }
                }
                var values: [MDPropertyList.Value] = []
                for value in choices ?? SettingShape.cases(of: Value.self) ?? [] {
                    if let value = try stored(value) { values.append(value) }
                }
                let shape = SettingShape(
                    of: Value.self, minimum: try stored(minimum), maximum: try stored(maximum),
                    choices: choices == nil && values.isEmpty ? nil : values, default: try stored(key.defaultValue))
                if let mistake = key.name.isEmpty ? "A key has no name." : shape.mistake.map({ "\(key.name): \($0)." })
                {
                    throw ManagedDefaults.ManifestError(mistake)
                }
                return ManifestKey(
                    name: MDPropertyList.Key(key.name), type: shape.type, title: title, description: description,
                    minimum: shape.minimum, maximum: shape.maximum, oneOf: shape.choices,
                    defaultValue: shape.defaultValue, isSensitive: isSensitive, subkeys: shape.subkeys)
            }
        }
    }
}
