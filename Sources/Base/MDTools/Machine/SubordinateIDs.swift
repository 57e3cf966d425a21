package import MDPlatform

/// The uids that users may use in user namespaces beside their own (`/etc/subuid`).
package struct SubordinateIDs: Sendable {
    /// The file, under the root.
    package static let path = "/etc/subuid"
    /// The most bytes of it that are used.
    private static let limit = 16 << 20

    /// The ranges of all users, in the order of the file.
    private var ranges: [(owner: UInt32, uids: ClosedRange<UInt32>)] = []

    /// Reads the file of a machine; none without one, or with one that is too large.
    ///
    /// A line of another form, or whose user has no account, is left out.
    package init(root: Root, accounts: AccountDatabase) {
        let bytes = (try? root.read(SubordinateIDs.path, limit: SubordinateIDs.limit).bytes) ?? []
        self.init(bytes) { accounts.account(named: $0)?.uid }
    }

    /// Reads the content of the file: lines of a name or uid, the first uid and their number.
    init(_ bytes: [UInt8], uid: (String) -> UInt32?) {
        for line in bytes.split(separator: 0x0a) {
            let words = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            let texts = words.map { String(decoding: $0, as: UTF8.self) }
            guard texts.count == 3, let first = UInt32(texts[1]), let count = UInt32(texts[2]), count > 0,
                let owner = uid(texts[0]) ?? UInt32(texts[0])
            else { continue }
            let (last, isOver) = first.addingReportingOverflow(count - 1)
            if !isOver { ranges.append((owner, first...last)) }
        }
    }

    /// The user that may use a uid in a namespace; `nil` if there is none.
    ///
    /// Complexity: O(lines of the file).
    package func owner(of uid: UInt32) -> UInt32? { ranges.first { $0.uids.contains(uid) }?.owner }
}
