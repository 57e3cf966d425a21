import MDPolicyModel

/// The meaning of a payload's type.
package enum PayloadType: Hashable, Sendable {
    /// `com.apple.ManagedClient.preferences`: domains with forced and set-once settings.
    case managedPreferences
    /// `com.apple.defaults.managed`: a list of domains with forced settings.
    case managedDefaults
    /// Settings of the domain with this name.
    case domain
    /// A feature of macOS or iOS itself, with its common name.
    case system(String)

    /// Makes the type of a name.
    ///
    /// macOS passes the payloads in ``titles`` to its own services and writes every other one, including
    /// `com.apple.applicationaccess`, into the managed preferences of the domain with its name. This code does the
    /// same.
    package init(name: String) {
        if name == "com.apple.ManagedClient.preferences" {
            self = .managedPreferences
        } else if name == "com.apple.defaults.managed" {
            self = .managedDefaults
        } else if let title = PayloadType.titles[name] {
            self = .system(title)
        } else if let (_, title) = PayloadType.families.first(where: { Self.begins(name, $0.prefix) }) {
            self = .system(title)
        } else {
            self = .domain
        }
    }

    /// The correct spelling of a type that is written with other letter case or with blanks or invisible characters
    /// around it; `nil` for any other.
    package static func spelling(of name: String) -> String? {
        let scalars = name.unicodeScalars
        let isSeen = { (scalar: Unicode.Scalar) in scalar != " " && !Unseen.contains(scalar) }
        guard let first = scalars.firstIndex(where: isSeen), let last = scalars.lastIndex(where: isSeen) else {
            return nil
        }
        return spellings[String(scalars[first...last]).lowercased()]
    }

    /// The types whose `PayloadContent` holds settings of domains.
    package static let preferences = ["com.apple.ManagedClient.preferences", "com.apple.defaults.managed"]

    /// The known types, by their names in lower case.
    private static let spellings: [String: String] = {
        let names = preferences + titles.keys
        return Dictionary(names.map { ($0.lowercased(), $0) }) { first, _ in first }
    }()

    /// Whether a name begins with a prefix, compared as bytes.
    private static func begins(_ name: String, _ prefix: String) -> Bool { name.utf8.starts(with: prefix.utf8) }

    /// The common names of groups of types with the same prefix.
    private static let families: [(prefix: String, title: String)] = [
        ("com.apple.vpn.managed", "VPN"),
        ("com.apple.configuration.", "declaration"),
    ]

    /// The common names of types without a preference domain.
    private static let titles: [String: String] = [
        "Configuration": "profile within a profile",
        "com.apple.ADCertificate.managed": "Active Directory certificate",
        "com.apple.AIM.account": "messages account",
        "com.apple.DirectoryService.managed": "directory service",
        "com.apple.MCX.FileVault2": "FileVault",
        "com.apple.SetupAssistant.managed.remote": "Setup Assistant",
        "com.apple.TCC.configuration-profile-policy": "privacy preferences policy control (TCC)",
        "com.apple.airplay": "AirPlay",
        "com.apple.airplay.security": "AirPlay security",
        "com.apple.airprint": "AirPrint",
        "com.apple.apn.managed": "access point name",
        "com.apple.app.lock": "single app mode",
        "com.apple.asam": "autonomous single app mode",
        "com.apple.associated-domains": "associated domains",
        "com.apple.caldav.account": "calendar account",
        "com.apple.carddav.account": "contacts account",
        "com.apple.cellular": "cellular network",
        "com.apple.cellularprivatenetwork.managed": "private cellular network",
        "com.apple.conferenceroomdisplay": "conference room display",
        "com.apple.configurationprofile.identification": "profile identification",
        "com.apple.declarations": "declarations",
        "com.apple.dnsProxy.managed": "DNS proxy",
        "com.apple.dnsSettings.managed": "DNS settings",
        "com.apple.domains": "managed domains",
        "com.apple.eas.account": "Exchange ActiveSync account",
        "com.apple.education": "education configuration",
        "com.apple.ethernet.managed": "Ethernet",
        "com.apple.ews.account": "Exchange account",
        "com.apple.extensiblesso": "extensible single sign-on",
        "com.apple.firstactiveethernet.managed": "Ethernet",
        "com.apple.firstethernet.managed": "Ethernet",
        "com.apple.font": "font",
        "com.apple.globalethernet.managed": "Ethernet",
        "com.apple.google-oauth": "Google account",
        "com.apple.homescreenlayout": "Home Screen layout",
        "com.apple.jabber.account": "messages account",
        "com.apple.ldap.account": "LDAP account",
        "com.apple.lom": "lights out management",
        "com.apple.mail.managed": "mail account",
        "com.apple.mdm": "device management",
        "com.apple.mobiledevice.passwordpolicy": "passcode policy",
        "com.apple.networkusagerules": "network usage rules",
        "com.apple.notificationsettings": "notifications",
        "com.apple.osxserver.account": "macOS Server account",
        "com.apple.profileRemovalPassword": "removal password",
        "com.apple.proxy.http.global": "global HTTP proxy",
        "com.apple.relay.managed": "network relay",
        "com.apple.secondactiveethernet.managed": "Ethernet",
        "com.apple.secondethernet.managed": "Ethernet",
        "com.apple.security.FDERecoveryKeyEscrow": "FileVault recovery key escrow",
        "com.apple.security.FDERecoveryRedirect": "FileVault recovery key redirection",
        "com.apple.security.acme": "ACME certificate",
        "com.apple.security.certificatepreference": "certificate preference",
        "com.apple.security.certificaterevocation": "certificate revocation",
        "com.apple.security.certificatetransparency": "certificate transparency",
        "com.apple.security.firewall": "firewall",
        "com.apple.security.identitypreference": "identity preference",
        "com.apple.security.pem": "certificate",
        "com.apple.security.pkcs1": "certificate",
        "com.apple.security.pkcs12": "certificate",
        "com.apple.security.root": "certificate",
        "com.apple.security.scep": "SCEP certificate",
        "com.apple.servicemanagement": "login items and background services",
        "com.apple.shareddeviceconfiguration": "lock screen message",
        "com.apple.sso": "single sign-on",
        "com.apple.subscribedcalendar.account": "subscribed calendar",
        "com.apple.syspolicy.kernel-extension-policy": "kernel extension policy",
        "com.apple.system-extension-policy": "system extension policy",
        "com.apple.system.logging": "system logging",
        "com.apple.systemmigration": "system migration",
        "com.apple.systempolicy.control": "Gatekeeper",
        "com.apple.systempolicy.managed": "Gatekeeper",
        "com.apple.systempolicy.rule": "Gatekeeper rule",
        "com.apple.thirdactiveethernet.managed": "Ethernet",
        "com.apple.thirdethernet.managed": "Ethernet",
        "com.apple.tvremote": "TV remote",
        "com.apple.watch.enrollment": "watch enrollment",
        "com.apple.webClip.managed": "web clip",
        "com.apple.webcontent-filter": "web content filter",
        "com.apple.wifi.managed": "Wi-Fi",
        "com.apple.xsan": "Xsan",
        "com.apple.xsan.preferences": "Xsan",
    ]
}

/// The fields at the top of a profile that are read here.
package enum ProfileField {
    /// The profile's name.
    package static let identifier = "PayloadIdentifier"
    /// The payloads.
    package static let content = "PayloadContent"
    /// The payloads, encrypted for one machine.
    static let encryptedContent = "EncryptedPayloadContent"
    /// `Configuration` for a profile; else the type of a payload.
    package static let type = "PayloadType"
    /// The version that the administrator assigns.
    package static let version = "PayloadVersion"
    /// A short name for people.
    static let displayName = "PayloadDisplayName"
    /// The purpose of the profile.
    package static let description = "PayloadDescription"
    /// The owner of the profile.
    static let organization = "PayloadOrganization"
    /// `System` or `User`.
    package static let scope = "PayloadScope"
    /// The time at which the profile expires.
    static let expiration = "PayloadExpirationDate"
    /// The time at which the profile is removed.
    static let removalDate = "RemovalDate"
    /// The time from installation to removal.
    static let duration = "DurationUntilRemoval"
    /// Whether a payload is enabled; without effect.
    static let enabled = "PayloadEnabled"

    /// The domains in an MCX export, the format before profiles.
    package static let applicationData = "mcx_application_data"
    /// The time at which a set-once value was made; a later one is set again.
    package static let stamp = "mcx_data_timestamp"
    /// The forced or set-once settings of a domain.
    package static let settings = "mcx_preference_settings"

    /// Every field that Apple defines at the top of a profile.
    package static let root: Set<String> = [
        identifier, content, encryptedContent, type, version, displayName, description, organization, scope, expiration,
        removalDate, duration, enabled, "PayloadUUID", "PayloadRemovalDisallowed", "ConsentText", "HasRemovalPasscode",
        "IsEncrypted", "TargetDeviceType", "PayloadSource", "PayloadInstallDate", "PayloadAcceptance",
    ]

    /// Every field that Apple defines for all payloads, besides their settings.
    package static let payload: Set<String> = [
        identifier, type, version, displayName, description, organization, scope, enabled, "PayloadUUID",
        "PayloadRemovalDisallowed", "PayloadExpirationDate", "PayloadRequirement",
    ]
}

/// Finds invisible characters, which copied text brings into names.
enum Unseen {
    /// Whether a character, other than the plain blank, is invisible.
    static func contains(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value < 0x20 || scalar.value > 0x7e else { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }

    /// The code point of the first such character of a text, as `U+200B`; `nil` if there is none.
    static func first(in text: String) -> String? {
        guard !text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }),
            let scalar = text.unicodeScalars.first(where: contains)
        else { return nil }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
