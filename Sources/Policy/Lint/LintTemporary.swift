import PropertyList

extension LintFile {
    /// What is wrong with a file that calls itself temporary policy; nothing for any other file.
    var temporaryFindings: [Diagnostic] {
        guard let temporary = policy.temporary else { return [] }
        var messages: [String] = []
        if isOutsideRun {
            messages.append(
                "a file with Temporary belongs into \(PolicyPlace.run.directory): here the next boot does not end it, and"
                    + " policy exam and policy grant do not find it")
        }
        if !policy.enforced { messages.append("a file with Temporary is Enforced, or other files override it") }
        if temporary.until == nil { messages.append("Temporary has no Until, so only the next boot ends the file") }
        return messages.map { warning(.temporary, at: temporary.position, $0) }
    }

    /// Whether it lies elsewhere than temporary policy does; false for a file that was named without its folder.
    private var isOutsideRun: Bool {
        let folder = LintInput.folder(of: policy.path)
        let place = "\(PolicyPlace.run.directory)/".utf8
        return !folder.isEmpty && !"/\(folder)".utf8.suffix(place.count).elementsEqual(place)
    }
}
