/// What the type of a payload means here.
enum PayloadType: Hashable, Sendable {
    /// `com.apple.ManagedClient.preferences`: domains with forced and set-once settings.
    case managedPreferences
    /// `com.apple.defaults.managed`: a list of domains with forced settings.
    case managedDefaults
    /// Settings of the domain of this name.
    case domain
    /// Something that macOS or iOS does itself, by what people call it.
    case system(String)

    /// The type of a name.
    ///
    /// macOS hands the payloads of the table to services of its own, and puts every other one, those of
    /// `com.apple.applicationaccess` included, into the managed preferences of the domain of its name. So does this.
    init(name: String) {
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

    /// How a type is written that stands here in other letters, capitals for small ones, or with blanks or what nobody
    /// sees around it; `nil` for any other.
    static func spelling(of name: String) -> String? {
        let scalars = name.unicodeScalars
        let isSeen = { (scalar: Unicode.Scalar) in scalar != " " && !Unseen.contains(scalar) }
        guard let first = scalars.firstIndex(where: isSeen), let last = scalars.lastIndex(where: isSeen) else {
            return nil
        }
        return spellings[String(scalars[first...last]).lowercased()]
    }

    /// The types whose `PayloadContent` holds settings of domains.
    static let preferences = ["com.apple.ManagedClient.preferences", "com.apple.defaults.managed"]

    /// The types that mean something, by their names in small letters.
    private static let spellings: [String: String] = {
        let names = preferences + titles.keys
        return Dictionary(names.map { ($0.lowercased(), $0) }) { first, _ in first }
    }()

    /// Whether a name begins with a prefix, byte for byte.
    private static func begins(_ name: String, _ prefix: String) -> Bool { name.utf8.starts(with: prefix.utf8) }

    /// What several types that begin alike are called.
    private static let families: [(prefix: String, title: String)] = [
        ("com.apple.vpn.managed", "VPN"),
        ("com.apple.configuration.", "declaration"),
    ]

    /// What the types are called that no preference domain belongs to.
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
