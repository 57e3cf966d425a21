import Platform
import PropertyList

extension AuditRecord {
    /// The most bytes of a line, its line feed included.
    package static let longestLine = 65_535
    /// The most bytes of UTF-8 that a text of a record keeps, and, where the line is still too long, the most that it
    /// keeps then: eleven texts of 512 bytes, each written as a `\u` escape of six, stay below the longest line.
    private static let textLimits = (usual: 4_096, tight: 512)

    /// The record as one line of JSON without its line feed, at most 65,534 bytes.
    ///
    /// A text of more than 4,096 bytes is cut and ends in `… [N bytes, sha256 D]`, N and D being the size of the whole
    /// and the first 16 digits of its digest. Where the line is too long nevertheless, texts are cut to 512 bytes, and
    /// fields of a later version, if there are any, give way to their size and digest under the name `extra`.
    package func encoded() -> [UInt8] {
        let line = encoded(textLimit: AuditRecord.textLimits.usual, extra: extra)
        if line.count < AuditRecord.longestLine { return line }
        let names = extra.flatMap { Array("\($0.name)=\($0.json)\n".utf8) }
        let digest = ValueSummary(type: "fields", digesting: names)
        let replacement =
            extra.isEmpty
            ? []
            : [
                ExtraField(name: "extra", json: String(decoding: digest.json, as: UTF8.self))
            ]
        return encoded(textLimit: AuditRecord.textLimits.tight, extra: replacement)
    }

    /// The record as a line of any length.
    private func encoded(textLimit: Int, extra: [ExtraField]) -> [UInt8] {
        var writer = JSONWriter()
        /// Writes a text that may have to be cut.
        func text(_ name: String, _ value: String?) {
            writer.field(name, value.map { AuditRecord.shorten($0, to: textLimit) })
        }
        writer.beginObject()
        writer.field("v", v)
        if seq > 0 { writer.field("seq", seq) }
        writer.field("time", time?.rfc3339)
        text("boot", boot)
        writer.field("mono", mono)
        text("kind", kind.rawValue)
        text("src", src?.rawValue)
        text("host", host)
        writer.field("uid", uid.map(Int.init))
        text("user", user)
        writer.field("auid", auid.map(Int.init))
        writer.field("session", session.map(Int.init))
        writer.field("pid", pid.map(Int.init))
        writer.field("start", start.map(Int.init(clamping:)))
        text("exe", exe)
        text("unit", unit)
        text("via", via?.rawValue)
        text("domain", domain?.string)
        text("key", key?.string)
        for (name, summary) in [("forced", forced), ("tried", tried)] {
            guard let summary else { continue }
            writer.member(name)
            summary.write(to: &writer)
        }
        if let policy {
            writer.member("policy")
            writer.beginObject()
            text("id", policy.id)
            text("file", policy.file)
            writer.field("line", policy.line)
            writer.field("sha256", policy.sha256?.hex)
            writer.endObject()
        }
        text("outcome", outcome?.rawValue)
        writer.field("count", count)
        writer.field("first", first?.rfc3339)
        writer.field("last", last?.rfc3339)
        text("note", note)
        for field in extra {
            writer.member(field.name)
            writer.raw(field.json)
        }
        writer.endObject()
        return writer.utf8
    }

    /// Cuts a text of more than so many bytes of UTF-8, and marks what it was.
    static func shorten(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        let digest = SHA256.hash(Array(text.utf8)).hex.prefix(16)
        let mark = "… [\(text.utf8.count) bytes, sha256 \(digest)]"
        var kept = String.UnicodeScalarView()
        var room = limit - mark.utf8.count
        for scalar in text.unicodeScalars {
            room -= UTF8.width(scalar)
            if room < 0 { break }
            kept.append(scalar)
        }
        return String(kept) + mark
    }
}
