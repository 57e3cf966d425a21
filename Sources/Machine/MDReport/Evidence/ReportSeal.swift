import MDCare
package import MDPlatform
import MDPropertyList

/// The digest at the end of a report, over everything before it.
///
/// It shows damage, and cuts; only a signature shows the author of the report.
package enum ReportSeal {
    /// A form of report that ends in a digest.
    private enum Form: CaseIterable {
        case json
        case html
        case text

        /// The text before the digest.
        var before: StaticString {
            switch self {
            case .json: ",\n  \"digest\": \""
            case .html: "<!-- sha256 of everything before: "
            case .text: "sha256 above "
            }
        }

        /// The text after it.
        var after: StaticString {
            switch self {
            case .json: "\"\n}"
            case .html: " -->\n"
            case .text: "\n"
            }
        }
    }

    /// Ends a JSON document, whose object is still open, with its digest.
    static func sealed(_ json: inout JSONWriter) -> [UInt8] {
        let digest = SHA256.hash(json.utf8)
        json.field("digest", digest.hex)
        json.endObject()
        return json.utf8
    }

    /// Ends a text with a line with its digest.
    static func sealed(text: String) -> String {
        text + "\(Form.text.before)\(SHA256.hash(Array(text.utf8)).hex)\(Form.text.after)"
    }

    /// Ends a page with a comment with its digest.
    static func sealed(page: [UInt8]) -> [UInt8] {
        page + Array("\(Form.html.before)\(SHA256.hash(page).hex)\(Form.html.after)".utf8)
    }

    /// What the digest at the end of a report says of it.
    package enum Finding: Sendable, Hashable {
        /// The report is as it was made.
        case fits(Digest)
        /// It was changed after it was made.
        case differs(written: Digest, found: Digest)
        /// There is none: the report is cut, or in a form without one.
        case missing
    }

    /// Checks the digest at the end of a report.
    package static func check(_ bytes: [UInt8]) -> Finding {
        var end = bytes.count
        if bytes.last == 0x0a, bytes.dropLast().last == UInt8(ascii: "}") { end -= 1 }
        for form in Form.allCases {
            let (before, after) = (Array("\(form.before)".utf8), Array("\(form.after)".utf8))
            let digits = end - after.count - 2 * Digest.byteCount
            let start = digits - before.count
            guard start >= 0, bytes[(end - after.count)..<end].elementsEqual(after),
                bytes[start..<digits].elementsEqual(before),
                let written = Digest(hex: String(decoding: bytes[digits..<(end - after.count)], as: UTF8.self))
            else { continue }
            var hash = SHA256()
            hash.update(bytes[..<start])
            let found = hash.finish()
            // The digest has one spelling, so that no byte of a report can change unnoticed.
            guard bytes[digits...].starts(with: found.hex.utf8) else { return .differs(written: written, found: found) }
            return .fits(found)
        }
        return .missing
    }
}
