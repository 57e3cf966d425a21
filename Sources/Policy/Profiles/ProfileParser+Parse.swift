import Platform
import PropertyList

extension ProfileParser {
    /// Reads a profile: opens it where it is signed, and makes policy of it.
    ///
    /// - Returns: the file, or `nil` where one of the findings is an error; and every finding, in the order of their
    ///   places. Places are those in the property list, also of a signed profile.
    static func parse(
        bytes: [UInt8], path: String, shownPath: String, digest: Digest?
    ) -> (file: PolicyFile?, diagnostics: [Diagnostic]) {
        let limits = PolicyFile.limits
        guard bytes.count <= limits.bytes else {
            let message = "the file has \(bytes.count) bytes; at most \(limits.bytes) are read"
            return (nil, [Diagnostic(file: shownPath, code: .tooLarge, message: message)])
        }
        let content: [UInt8]
        do throws(CMSError) {
            content = try ProfileEnvelope.content(of: bytes)
        } catch {
            let finding = Diagnostic(
                file: shownPath, position: Position(byte: error.offset), code: .signedMessage,
                message: error.isEncrypted
                    ? "the profile is encrypted and cannot be read here; get it as it was before it was encrypted"
                    : "the signed profile cannot be opened: \(error.message)\(ProfileEnvelope.damage(to: bytes))")
            return (nil, [finding])
        }
        do throws(PropertyListError) {
            let reading = try ProfileText.readOn(content, limits: limits)
            var parser = ProfileParser(reading, path: path, shownPath: shownPath)
            let file = try parser.parse(digest: digest ?? SHA256.hash(bytes))
            let warnings = reading.document.warnings.map { warning in
                Diagnostic(
                    file: shownPath, position: warning.position, severity: .warning, code: LintCode(warning.code),
                    message: Printable.escape(warning.message))
            }
            var diagnostics = (parser.diagnostics + warnings).sorted()
            if reading.document.hasMoreWarnings {
                diagnostics.append(
                    Diagnostic(
                        file: shownPath, severity: .warning, code: .syntax,
                        message: "there may be more warnings about how the file is written than are listed here"))
            }
            if parser.findings > PolicyParser.findingLimit {
                diagnostics.append(
                    Diagnostic(
                        file: shownPath, severity: parser.hasErrors ? .error : .warning, code: .invalidValue,
                        message: "there are \(parser.findings) findings, and this list ends after"
                            + " \(PolicyParser.findingLimit)"))
            }
            return (file, diagnostics)
        } catch {
            let finding = Diagnostic(
                file: shownPath, position: error.position, code: LintCode(error.code),
                message: Printable.escape(error.message) + hint(error, content))
            return (nil, [finding])
        }
    }

    /// What is added to a mistake at which a template left a mark.
    private static func hint(_ error: PropertyListError, _ bytes: [UInt8]) -> String {
        guard !error.position.isBinary, let source = try? SourceText(decoding: bytes) else { return "" }
        let rest = source.utf8.dropFirst(error.position.offset).prefix(200).prefix { $0 != 0x0a && $0 != 0x0d }
        guard let mark = Placeholder.first(in: String(decoding: rest, as: UTF8.self)) else { return "" }
        return "; \(Printable.escape(mark)) \(Placeholder.words)"
    }
}
