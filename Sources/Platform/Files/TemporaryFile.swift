import Glibc

/// A new empty file, for its owner only, of a name that nobody else has.
struct TemporaryFile: ~Copyable {
    /// The file, open for reading and writing.
    let descriptor: FileDescriptor
    /// Its name in the directory: `.NAME.` with random characters and `.tmp`.
    let name: String

    /// Makes one beside the file that it will replace.
    init(for name: String, in directory: Int32, shown: String) throws(SystemError) {
        var tries = 0
        while true {
            let candidate = TemporaryFile.name(for: name)
            do {
                let flags = OpenMode.create(mode: 0o600).flags
                descriptor = try FileDescriptor.open(candidate, in: directory, flags: flags, mode: 0o600, shown: shown)
                self.name = candidate
                return
            } catch {
                tries += 1
                // 48 random bits collide by somebody's intent only, and not a hundred times.
                if error.code != EEXIST || tries == 100 { throw error }
            }
        }
    }

    /// Whether a name is one that a temporary file for some name can have.
    static func isName(_ name: String, for target: String) -> Bool {
        let stem = ".\(target)."
        return name.utf8.starts(with: stem.utf8) && name.utf8.count == stem.utf8.count + length + suffix.utf8.count
            && name.utf8.reversed().starts(with: suffix.utf8.reversed())
    }

    /// The random characters of a name.
    private static let length = 10
    /// What a name ends with.
    private static let suffix = ".tmp"

    /// A name that begins with a dot, so that no reader of the directory takes it, and fits into NAME_MAX (255 bytes).
    private static func name(for name: String) -> String {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
        var random = UInt64.random(in: .min ... .max)
        var letters = ""
        for _ in 0..<length {
            letters.append(alphabet[Int(random & 31)])
            random >>= 5
        }
        var stem = Substring(name)
        while stem.utf8.count > 200 { stem.removeLast() }
        return ".\(stem).\(letters)\(suffix)"
    }
}
