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

    package func stored(for policy: ProgramPolicy, in store: UserStore) -> [StoredSetting] {
        let asked = policy.entries.compactMap { entry -> (ProgramEntry, path: [Key])? in
            guard entry.domain == domain, case .forced = entry.level,
                let name = ChromiumFamily.preferences[entry.key]
            else { return nil }
            return (entry, TextSearch.parts(of: name, separatedBy: ".").map { Key($0) })
        }
        if asked.isEmpty { return [] }
        return store.files(named: "Preferences", inFoldersOf: userFolder).flatMap { file -> [StoredSetting] in
            guard let members = try? PlainJSON.object(file.bytes) else { return [] }
            return asked.compactMap { entry, path in
                let value = path.reduce(Value?.some(.dictionary(members))) { value, name in
                    if case .dictionary(let inner) = value { inner[name] } else { nil }
                }
                return value.map { StoredSetting(entry, value: $0, file: file.path) }
            }
        }
    }
}
