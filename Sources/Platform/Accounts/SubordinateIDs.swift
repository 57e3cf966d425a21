/// The ids that users may give themselves in user namespaces, beside their own: subuid(5).
///
/// To the kernel they are users like others, and to policy they would be users of whom no file speaks.
struct SubordinateIDs {
    /// The ranges of ids; `nil` where nobody can tell what they are.
    private let ranges: [ClosedRange<UInt32>]?

    /// The path of the file.
    static let path = "/etc/subuid"

    /// Reads the file of a root, without which there are no such ids.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - services: the text of nsswitch.conf(5); `nil` where it cannot be trusted.
    ///   - unmounted: a directory beneath which nobody must have made a mount.
    init(root: Root, services: [UInt8]?, unmounted: String) {
        guard NameServices(text: services).areSubordinatesInFile else {
            self.init(text: nil)
            return
        }
        do throws(TrustError) {
            let file = try root.readTrusted(SubordinateIDs.path, limit: AccountFile.limit, unmounted: unmounted)
            self.init(text: file.bytes)
        } catch {
            self.init(text: error.isMissing ? [] : nil)
        }
    }

    /// Reads the text of the file; `nil` for one that cannot be read.
    ///
    /// newuidmap(1) reads numbers as C does, and passes over what has not three fields; so does this, but for numbers that are
    /// not decimal: whose they are, nobody can tell.
    init(text: [UInt8]?) {
        var ranges: [ClosedRange<UInt32>]? = text == nil ? nil : []
        for line in (text ?? []).split(separator: 0x0a) {
            let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            guard let first = SubordinateIDs.number(fields[1]), let count = SubordinateIDs.number(fields[2]) else {
                ranges = nil
                break
            }
            guard count > 0 else { continue }
            let (last, isTooMany) = first.addingReportingOverflow(count - 1)
            ranges?.append(first...(isTooMany ? .max : last))
        }
        self.ranges = ranges
    }

    /// Whether an id may be one of them.
    func mayContain(_ id: UInt32) -> Bool { ranges?.contains { $0.contains(id) } ?? true }

    /// A number in decimal digits that fits.
    private static func number(_ field: ArraySlice<UInt8>) -> UInt32? {
        guard let first = field.first, first != UInt8(ascii: "0") || field.count == 1,
            field.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return UInt32(String(decoding: field, as: UTF8.self))
    }
}
