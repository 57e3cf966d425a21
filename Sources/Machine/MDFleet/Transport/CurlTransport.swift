package import MDPlatform

/// A centre behind a web server, spoken to by curl with the certificate of the host.
package struct CurlTransport: CentreTransport {
    /// The program, and the one that lets it end with this process.
    private static let program = "/usr/bin/curl"
    private static let setter = "/usr/bin/setpriv"
    /// How long a connection may take to come about, and a transfer to end, in seconds.
    private static let (connecting, transferring) = (10, 120)
    /// The folder of the files of a host that are not named.
    private static let folder = "/etc/managed-defaults/fleet"
    /// The most bytes of an answer beside the content: those of a page about an error are not read.
    private static let overhead = 4_096
    /// What curl prints behind the content; versions before 7.84 give no tag.
    private static let report = "\n%{http_code} %header{etag} %{errormsg}"

    package let name: String
    /// The program and the options of every call.
    private let program: String
    private let options: [String]

    /// Prepares calls; nothing is connected.
    ///
    /// - Parameters:
    ///   - address: the address of the centre.
    ///   - configuration: the files of the certificate, its key and the authority.
    ///   - root: the machine that has these files.
    ///   - key: the file of the key, in the file system of the caller; `nil` for that of the machine.
    package init(_ address: String, _ configuration: FleetConfiguration, _ root: Root, key: String? = nil) {
        let certificate = configuration.certificate ?? "\(CurlTransport.folder)/certificate.pem"
        let key = key ?? root.display(configuration.key ?? "\(CurlTransport.folder)/key.pem")
        let authority = configuration.authority ?? "\(CurlTransport.folder)/authority.pem"
        name = address
        let isEnding = Root.system.mayExist(CurlTransport.setter)
        program = isEnding ? CurlTransport.setter : CurlTransport.program
        options =
            (isEnding ? ["--pdeathsig", "TERM", CurlTransport.program] : []) + [
                // No file of the user's says anything.
                "--disable", "--silent", "--proto", "=https", "--tlsv1.2", "--max-redirs", "0", "--connect-timeout",
                "\(CurlTransport.connecting)", "--cert", root.display(certificate), "--key", key, "--cacert",
                root.display(authority),
            ]
    }

    package func read(_ path: String, limit: Int) throws(FleetFault) -> [UInt8]? {
        if case .content(let content, _) = try fetch(path, limit: limit, unless: nil) { content } else { nil }
    }

    package func fetch(_ path: String, limit: Int, unless tag: String?) throws(FleetFault) -> CentreAnswer {
        let condition = tag.map { ["--header", "If-None-Match: \($0)"] } ?? []
        let answer = try call(condition + ["\(name)/\(path)"], limit: limit)
        switch answer.code {
        case 200: return .content(answer.content, tag: answer.tag)
        case 304 where tag != nil: return .unchanged
        case 404: return .missing
        default: throw FleetFault("\(name) answered \(answer.code) when \(path) was asked for")
        }
    }

    package func put(_ bytes: [UInt8], as file: SpoolName) throws(FleetFault) {
        let code = try call(
            ["--upload-file", Subprocess.filePath(0), "\(name)/in/\(file)"], files: [bytes],
            limit: CurlTransport.overhead
        ).code
        guard [200, 201, 204].contains(code) else {
            throw FleetFault("\(name) answered \(code) when \(file) was sent")
        }
    }

    package func isWaiting(_ name: SpoolName) -> Bool? { nil }

    package func awaitNews(seconds: Int) -> Bool {
        let answer = try? call(["\(name)/wait"], limit: CurlTransport.overhead, seconds: seconds)
        return answer?.code == 200
    }

    /// Runs curl; returns the code of the answer, its tag and its content.
    private func call(
        _ arguments: [String], files: [[UInt8]] = [], limit: Int, seconds: Int = CurlTransport.transferring
    ) throws(FleetFault) -> (code: Int, tag: String?, content: [UInt8]) {
        let result: SubprocessResult
        do throws(SystemError) {
            result = try Subprocess.run(
                program,
                options + [
                    "--max-time", "\(seconds)", "--max-filesize", "\(limit)", "--write-out",
                    CurlTransport.report,
                ] + arguments, files: files, timeoutMilliseconds: (seconds + 5) * 1_000,
                limit: limit + CurlTransport.overhead)
        } catch {
            throw FleetFault(error.isTimeout ? "\(name) did not answer in time" : "\(error)")
        }
        let end = result.output.lastIndex(of: 0x0a) ?? result.output.startIndex
        let words = String(decoding: result.output[end...].dropFirst(), as: UTF8.self)
            .split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard result.status == 0, words.count == 3, let code = Int(words[0]) else {
            let reason =
                words.count == 3 && !words[2].isEmpty ? String(words[2]) : "curl ended with \(result.status ?? -1)"
            throw FleetFault("\(name) did not answer: \(Printable.escape(reason))")
        }
        return (code, CurlTransport.isTag(words[1]) ? String(words[1]) : nil, Array(result.output[..<end]))
    }

    /// Whether a word is a tag as nginx makes them, which can stand in a request.
    private static func isTag(_ word: Substring) -> Bool {
        word.utf8.first == UInt8(ascii: "\"") && (3...128).contains(word.utf8.count)
            && word.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}
