import Platform
import PropertyList

extension SignatureVerifier {
    /// What the certificate of a signer may say that it is for: one of these, where it says so at all.
    ///
    /// That of a web server is none: whoever runs the server would speak for the administrators. The number is Apple's Developer ID Installer, with which tools for profiles sign (Apple's certificate policy,
    /// "Developer ID Installer Package Signing").
    private static let purposes = ["Code Signing", "E-mail Protection", "1.2.840.113635.100.4.13"]
    /// What the key of a signer may be for: one of these, where the certificate says so at all (RFC 5280, 4.2.1.3).
    private static let usages = ["Digital Signature", "Non Repudiation"]

    /// Has the message verified, and holds what the tool took for its content to what is read as policy.
    func messageSigner(of bytes: [UInt8], trust: [UInt8]) throws(Refusal) -> Signer {
        let (message, anchors) = (Subprocess.filePath(0), Subprocess.filePath(1))
        // The tool is given what is read here: of a text with several blocks, it might take another one.
        guard let binary = try? CMSMessage.binary(of: bytes) else {
            throw Refusal(reason: "its signature cannot be read")
        }
        let input = ["cms", "-verify", "-inform", "DER", "-in", message, "-binary"]
        // The purpose is looked at below: the tool's own are fewer than there are.
        let result = try run(
            input + ["-CAfile", anchors, "-no-CApath", "-no-CAstore", "-purpose", "any"], files: [binary, trust],
            limit: PolicyFile.limits.bytes)
        guard result.status == 0 else {
            throw Refusal(
                reason: "its signature does not lead to anybody in \(trustPath), or does not match its content")
        }
        guard let content = CMSMessage.content(of: bytes), content == result.output else {
            throw Refusal(reason: "what was signed is not what is read of it")
        }
        let found = try run(
            ["cms", "-verify", "-inform", "DER", "-in", message, "-noverify", "-signer", "/dev/stdout"]
                + ["-out", "/dev/null"], files: [binary])
        let certificates = SignatureVerifier.lines(found).count { $0 == "-----BEGIN CERTIFICATE-----" }
        guard found.status == 0, certificates > 0 else {
            throw Refusal(reason: "the certificate of its signer cannot be told")
        }
        guard certificates == 1 else { throw Refusal(reason: "it has more than one signer") }
        try checkPurpose(of: found.output)
        return Signer(name: subject(of: found.output), until: try end(of: found.output))
    }

    /// What the tool says of a certificate.
    private func certificate(_ certificate: [UInt8], _ options: [String]) throws(Refusal) -> SubprocessResult {
        try run(["x509", "-noout"] + options, input: certificate, files: [])
    }

    /// Refuses a certificate that is for something else than signing.
    private func checkPurpose(of signer: [UInt8]) throws(Refusal) {
        let result = try certificate(signer, ["-ext", "extendedKeyUsage,keyUsage"])
        guard result.status == 0 else {
            throw Refusal(reason: "what its signer's certificate is for cannot be told", isUnknown: true)
        }
        let lines = SignatureVerifier.lines(result)
        /// What is listed beneath the title of an extension; `nil` without it.
        func items(_ title: String) -> [String]? {
            guard let index = lines.firstIndex(where: { $0.hasPrefix("X509v3 \(title):") }) else { return nil }
            guard index + 1 < lines.count else { return [] }
            return lines[index + 1].utf8.split(separator: UInt8(ascii: ",")).map {
                String(decoding: $0.drop { $0 == 0x20 }, as: UTF8.self)
            }
        }
        if let found = items("Extended Key Usage"), !found.contains(where: SignatureVerifier.purposes.contains) {
            throw Refusal(
                reason:
                    "its signer's certificate is for \(found.joined(separator: ", ")), and not for code signing, S/MIME "
                    + "or Developer ID Installer")
        }
        if let found = items("Key Usage"), !found.contains(where: SignatureVerifier.usages.contains) {
            throw Refusal(
                reason: "its signer's key is for \(found.joined(separator: ", ")), and not for digital signatures")
        }
    }

    /// What a signer is called; it is only shown.
    private func subject(of signer: [UInt8]) -> String {
        guard let result = try? certificate(signer, ["-subject", "-nameopt", "RFC2253,utf8,-esc_msb"]),
            result.status == 0, let name = SignatureVerifier.value(of: "subject", in: result), !name.isEmpty
        else { return "unnamed" }
        return name
    }

    /// When a certificate ends, which the tool writes as `Nov 21 11:30:16 2027 GMT`.
    private func end(of signer: [UInt8]) throws(Refusal) -> Timestamp {
        let text = SignatureVerifier.value(of: "notAfter", in: try certificate(signer, ["-enddate"])) ?? ""
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = text.utf8.split(separator: 0x20).map { String(Substring($0)) }
        guard parts.count == 5, let month = months.firstIndex(of: parts[0]),
            let time = Timestamp(rfc3339: "\(parts[3])-\(two(month + 1))-\(two(Int(parts[1]) ?? 0))T\(parts[2])Z")
        else { throw Refusal(reason: "the end of its signer's certificate cannot be told", isUnknown: true) }
        return time
    }

    /// A number of two digits.
    private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The value of a line such as `subject=CN=Lab office`.
    private static func value(of name: String, in result: SubprocessResult) -> String? {
        lines(result).lazy.filter { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }.first
    }

    /// The lines of what a tool printed, without blanks around them; those that are no text are left out.
    private static func lines(_ result: SubprocessResult) -> [String] {
        result.output.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }).compactMap { line in
            let start = line.drop { $0 == 0x20 }
            let end = start.lastIndex { $0 != 0x20 } ?? start.startIndex
            return start.isEmpty ? nil : String(validating: start[start.startIndex...end], as: UTF8.self)
        }
    }
}
