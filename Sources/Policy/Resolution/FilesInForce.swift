import Platform
import PropertyList

/// What holds of policy files for everybody, whomever they are for.
enum FilesInForce {
    /// The windows of each calendar: of two with one name, those of the first enforced file, else of the last.
    static func calendars(of files: some Sequence<PolicyFile>) -> [Key: [Window]] {
        var result: [Key: (windows: [Window], isEnforced: Bool)] = [:]
        for file in files {
            for calendar in file.calendars where result[calendar.name]?.isEnforced != true {
                result[calendar.name] = (calendar.windows, file.enforced)
            }
        }
        return result.mapValues(\.windows)
    }

    /// What people are told about each key: title and description of the strongest file that has them, all controls in
    /// order, and sensitive where any file says so.
    static func metadata(of files: some Sequence<PolicyFile>) -> [Key: [Key: KeyMetadata]] {
        var result: [Key: [Key: Merge]] = [:]
        for file in files {
            for entry in file.metadata {
                result[entry.domain, default: [:]][entry.key, default: Merge()].add(
                    entry.metadata, isEnforced: file.enforced)
            }
        }
        return result.mapValues { keys in keys.mapValues(\.metadata).filter { !$0.value.isEmpty } }
            .filter { !$0.value.isEmpty }
    }

    /// Metadata of several files on its way to one.
    private struct Merge {
        /// What it is so far.
        private(set) var metadata = KeyMetadata()
        /// Whether the title comes from an enforced file.
        private var isTitleEnforced = false
        /// Whether the description comes from an enforced file.
        private var isDescriptionEnforced = false

        /// Takes in what the next file says.
        mutating func add(_ other: KeyMetadata, isEnforced: Bool) {
            if !other.title.isEmpty, !isTitleEnforced {
                (metadata.title, isTitleEnforced) = (other.title, isEnforced)
            }
            if !other.description.isEmpty, !isDescriptionEnforced {
                (metadata.description, isDescriptionEnforced) = (other.description, isEnforced)
            }
            for control in other.controls where !metadata.controls.contains(where: { Key($0) == Key(control) }) {
                metadata.controls.append(control)
            }
            if other.isSensitive { metadata.isSensitive = true }
        }
    }
}
