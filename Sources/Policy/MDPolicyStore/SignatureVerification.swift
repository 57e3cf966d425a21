package import MDPlatform
import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
import MDPropertyList

extension SignatureVerifier {
    /// The namespace required of `ssh-keygen -Y sign -n`, so that signatures made for other purposes do not count.
    static let namespace = "managed-defaults"
    /// The time limit of the program, in milliseconds.
    private static let timeout = 5_000
    /// The most signers of one key that are tried.
    private static let signerLimit = 16

    package struct Signer {
        /// The name as given by the tool or the list of signers.
        package let name: String
        /// The expiry of the key or certificate, after which the tool must be asked again.
        package var until: Timestamp?
    }

    package struct Refusal: Error {
        /// Why, as a clause.
        package let reason: String
        /// Whether the tool could not be run, so the state of the signature is unknown.
        package var isUnknown = false
        /// Whether there is no signature at all.
        var isUnsigned = false

        /// The refusal of a signature file that could not be read.
        package static func unreadable(_ error: TrustError) -> Refusal {
            Refusal(reason: "its signature cannot be read: \(error)", isUnsigned: true)
        }
    }

    /// Asks the tool.
    ///
    /// - Parameters:
    ///   - bytes: the signed content; for ``cms`` the whole message.
    ///   - signature: the signature; empty for ``cms``.
    ///   - trust: the list of trusted signers.
    /// - Returns: the signer.
    /// - Throws: why the signature does not count.
    package func signer(of bytes: [UInt8], signature: [UInt8], trust: [UInt8]) throws(Refusal) -> Signer {
        switch self {
        case .ssh: try sshSigner(of: bytes, signature: signature, trust: trust)
        case .cms: try messageSigner(of: bytes, trust: trust)
        }
    }

    /// Runs the program.
    package func run(
        _ arguments: [String], input: [UInt8] = [], files: [[UInt8]], limit: Int = 65_536
    ) throws(Refusal) -> SubprocessResult {
        do throws(SystemError) {
            let result = try Subprocess.run(
                program, arguments, input: input, files: files, timeoutMilliseconds: SignatureVerifier.timeout,
                limit: limit)
            // An unknown exit status is no approval.
            guard result.status != nil else { throw SystemError(operation: "run", path: program, code: 10) }
            return result
        } catch {
            throw Refusal(reason: "the signature could not be checked: \(error)", isUnknown: true)
        }
    }

    /// Finds the signer of the signature, then verifies it for these bytes and this purpose.
    private func sshSigner(of bytes: [UInt8], signature: [UInt8], trust: [UInt8]) throws(Refusal) -> Signer {
        let (signers, sig) = (Subprocess.filePath(0), Subprocess.filePath(1))
        let files = [trust, signature]
        let found = try run(["-Y", "find-principals", "-s", sig, "-f", signers], files: files)
        let names = SignatureVerifier.names(in: found.output).prefix(SignatureVerifier.signerLimit)
        let now = Clock.now()
        guard found.status == 0, !names.isEmpty else {
            throw Refusal(reason: "nobody in \(trustPath) has the key that signed it, or its time is over")
        }
        for (name, principals) in names {
            let verify = ["-Y", "verify", "-f", signers, "-I", name, "-n", SignatureVerifier.namespace, "-s", sig]
            guard try run(verify, input: bytes, files: files).status == 0 else { continue }
            return Signer(name: name, until: AllowedSigners(trust).end(of: principals, after: now))
        }
        throw Refusal(
            reason: "its signature does not match its content, or is not meant for \(SignatureVerifier.namespace)")
    }

    /// The signers that the tool found.
    ///
    /// Each line of its output gives the first name that is not excluded, and the whole list of patterns.
    private static func names(in output: [UInt8]) -> [(name: String, principals: String)] {
        output.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }).compactMap { line in
            let names = line.split(separator: UInt8(ascii: ",")).filter { $0.first != UInt8(ascii: "!") }
            guard let name = names.first.flatMap({ String(validating: $0, as: UTF8.self) }) else { return nil }
            return (name, String(decoding: line, as: UTF8.self))
        }
    }

    /// Whether a list names at least one signer, judged by its form.
    func namesSigner(_ bytes: [UInt8]) -> Bool {
        switch self {
        case .ssh: !AllowedSigners(bytes).lines.isEmpty
        case .cms:
            bytes.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }).contains { line in
                line.starts(with: "-----BEGIN ".utf8) && line.suffix(16).elementsEqual("CERTIFICATE-----".utf8)
            }
        }
    }
}

extension SignatureVerifier {
    /// The accepted extended key usages of a signer's certificate; one without any is accepted too.
    ///
    /// That of a web server is not accepted: its operator could then sign policy. The number is Apple's Developer ID
    /// Installer, with which tools for profiles sign (Apple's certificate policy, "Developer ID Installer Package
    /// Signing").
    private static let purposes = ["Code Signing", "E-mail Protection", "1.2.840.113635.100.4.13"]
    /// The accepted key usages of a signer's certificate; one without any is accepted too (RFC 5280, 4.2.1.3).
    private static let usages = ["Digital Signature", "Non Repudiation"]

    /// Verifies the message with `openssl`, then compares its content with the policy that was read.
    func messageSigner(of bytes: [UInt8], trust: [UInt8]) throws(Refusal) -> Signer {
        let (message, anchors) = (Subprocess.filePath(0), Subprocess.filePath(1))
        // The tool gets exactly the block that is read here: from a text with several blocks it might choose another
        // one.
        guard let binary = try? CMSMessage.binary(of: bytes) else {
            throw Refusal(reason: "its signature cannot be read")
        }
        let input = ["cms", "-verify", "-inform", "DER", "-in", message, "-binary"]
        // The purpose is checked below, because the tool supports fewer purposes.
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

    /// Runs the tool on a certificate.
    private func certificate(_ certificate: [UInt8], _ options: [String]) throws(Refusal) -> SubprocessResult {
        try run(["x509", "-noout"] + options, input: certificate, files: [])
    }

    /// Refuses a certificate that is not meant for signing.
    private func checkPurpose(of signer: [UInt8]) throws(Refusal) {
        let result = try certificate(signer, ["-ext", "extendedKeyUsage,keyUsage"])
        guard result.status == 0 else {
            throw Refusal(reason: "what its signer's certificate is for cannot be told", isUnknown: true)
        }
        let lines = SignatureVerifier.lines(result)
        /// The items listed under the title of an extension; `nil` without it.
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

    /// The name of a signer, for messages only.
    private func subject(of signer: [UInt8]) -> String {
        guard let result = try? certificate(signer, ["-subject", "-nameopt", "RFC2253,utf8,-esc_msb"]),
            result.status == 0, let name = SignatureVerifier.value(of: "subject", in: result), !name.isEmpty
        else { return "unnamed" }
        return name
    }

    /// The expiry of a certificate, which the tool prints as `Nov 21 11:30:16 2027 GMT`.
    private func end(of signer: [UInt8]) throws(Refusal) -> Timestamp {
        let text = SignatureVerifier.value(of: "notAfter", in: try certificate(signer, ["-enddate"])) ?? ""
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = text.utf8.split(separator: 0x20).map { String(Substring($0)) }
        guard parts.count == 5, let month = months.firstIndex(of: parts[0]),
            let time = Timestamp(rfc3339: "\(parts[3])-\(two(month + 1))-\(two(Int(parts[1]) ?? 0))T\(parts[2])Z")
        else { throw Refusal(reason: "the end of its signer's certificate cannot be told", isUnknown: true) }
        return time
    }

    private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The value of a line such as `subject=CN=Lab office`.
    private static func value(of name: String, in result: SubprocessResult) -> String? {
        lines(result).lazy.filter { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }.first
    }

    /// The lines of a tool's output without surrounding blanks; lines that are not text are left out.
    private static func lines(_ result: SubprocessResult) -> [String] {
        result.output.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }).compactMap { line in
            let start = line.drop { $0 == 0x20 }
            let end = start.lastIndex { $0 != 0x20 } ?? start.startIndex
            return start.isEmpty ? nil : String(validating: start[start.startIndex...end], as: UTF8.self)
        }
    }
}
