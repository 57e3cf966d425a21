import MDPlatform
import MDPropertyList
import MDTools

/// What users of Chromium's family have stored in the profiles of their browser.
extension ChromiumFamily {
    /// The preference of each policy whose value is that of a preference, which the settings page changes.
    ///
    /// Source: `chrome/browser/policy/configuration_policy_handler_list_factory.cc`; `Tests/Checks/Programs/chromium-attempts` asks
    /// Chromium about those that its settings page knows.
    static let preferences: [Key: String] = [
        "AllowDinosaurEasterEgg": "allow_dinosaur_easter_egg",
        "AlternateErrorPagesEnabled": "alternate_error_pages.enabled",
        "AlwaysOpenPdfExternally": "plugins.always_open_pdf_externally",
        "AutofillAddressEnabled": "autofill.profile_enabled",
        "AutofillCreditCardEnabled": "autofill.credit_card_enabled",
        "BookmarkBarEnabled": "bookmark_bar.show_on_all_tabs",
        "DefaultCookiesSetting": "profile.default_content_setting_values.cookies",
        "DefaultGeolocationSetting": "profile.default_content_setting_values.geolocation",
        "DefaultImagesSetting": "profile.default_content_setting_values.images",
        "DefaultJavaScriptSetting": "profile.default_content_setting_values.javascript",
        "DefaultNotificationsSetting": "profile.default_content_setting_values.notifications",
        "DefaultPopupsSetting": "profile.default_content_setting_values.popups",
        "DownloadDirectory": "download.default_directory",
        "HomepageIsNewTabPage": "homepage_is_newtabpage",
        "HomepageLocation": "homepage",
        "NetworkPredictionOptions": "net.network_prediction_options",
        "PasswordManagerEnabled": "credentials_enable_service",
        "PrintingEnabled": "printing.enabled",
        "PromptForDownloadLocation": "download.prompt_for_download",
        "RestoreOnStartup": "session.restore_on_startup",
        "RestoreOnStartupURLs": "session.startup_urls",
        "SafeBrowsingEnabled": "safebrowsing.enabled",
        "SearchSuggestEnabled": "search.suggest_enabled",
        "ShowHomeButton": "browser.show_home_button",
        "SpellCheckServiceEnabled": "spellcheck.use_spelling_service",
        "SpellcheckEnabled": "browser.enable_spellchecking",
        "TranslateEnabled": "translate.enabled",
        "UrlKeyedAnonymizedDataCollectionEnabled": "url_keyed_anonymized_data_collection.enabled",
    ]

    /// The limits of a profile's file; those of people have 0.5 MB and 40,000 values.
    private static let limits = Limits(bytes: PlainJSON.sizeLimit, depth: 512, objects: 1_000_000)

    package func stored(for policy: ProgramPolicy, in store: inout UserStore) -> [StoredSetting] {
        let asked = policy.entries.compactMap { entry -> (ProgramEntry, path: [Key])? in
            guard entry.domain == domain, case .forced = entry.level,
                let name = ChromiumFamily.preferences[entry.key]
            else { return nil }
            return (entry, TextSearch.parts(of: name, separatedBy: ".").map { Key($0) })
        }
        if asked.isEmpty { return [] }
        var found: [StoredSetting] = []
        for folder in store.folders(in: userFolder) {
            guard let file = store.file("\(folder)/Preferences") else { continue }
            let root: Value
            do throws(PropertyListError) {
                // Chromium minds invalid UTF-8 in strings only.
                let text = Array(String(decoding: file.bytes, as: UTF8.self).utf8)
                let document = try JSONReader.readBrowser(
                    try SourceText(decoding: text), limits: ChromiumFamily.limits)
                _ = try document.rootEntries()
                root = document.root.value
            } catch {
                if error.code == .tooManyObjects {
                    store.note(file.path, "is not read: \(error.message)")
                    continue
                }
                store.note(file.path, "the file of \(title) is damaged: \(error.message)", at: error.position)
                continue
            }
            for (entry, path) in asked {
                let value = path.reduce(Value?.some(root)) { value, name in
                    if case .dictionary(let inner) = value { inner[name] } else { nil }
                }
                if let value { found.append(StoredSetting(entry, value: value, file: file.path)) }
            }
        }
        return found
    }
}
