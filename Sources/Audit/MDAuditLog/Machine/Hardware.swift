package import MDPlatform

/// The facts of hardware that are not copied with a disk, which root writes for each boot: the audit service may not read
/// them all, and all writers of the log must see the same.
package enum Hardware {
    /// The file.
    package static let path = "/run/managed-defaults/hardware"
    /// The most bytes of a fact.
    private static let limit = 4_096
    /// UUIDs that makers of boards wrote into many of them.
    private static let dummies: Set<String> = ["03000200040005000006000700080009", "12345678123456781234567812345678"]

    /// Writes the facts of the system, as root, unless that was done since the boot or nothing here is managed.
    ///
    /// A container has none: its hardware is that of its host.
    package static func publish(_ root: Root) throws(SystemError) {
        guard root.isSystem, CurrentProcess.euid == 0, !root.mayExist(path), root.mayExist("/run/managed-defaults"),
            !["/run/systemd/container", "/run/.containerenv", "/.dockerenv"].contains(where: { root.mayExist($0) })
        else { return }
        let facts = LogMachine(
            board: LogMachine.digest("board", board(root)), card: LogMachine.digest("card", card(root)))
        try root.replace(path, with: Array(facts.text.utf8), mode: 0o644)
    }

    /// The first line of a file.
    private static func line(_ path: String, _ root: Root) -> String? {
        guard let bytes = try? root.read(path, limit: limit).bytes else { return nil }
        return String(validating: bytes.prefix { $0 != 0x0a }, as: UTF8.self)
    }

    /// The UUID of the board in digits of lower case; `nil` for one that many boards have.
    private static func board(_ root: Root) -> String? {
        let digits = line("/sys/class/dmi/id/product_uuid", root)?.lowercased().filter { $0 != "-" } ?? ""
        guard digits.utf8.count == 32, Set(digits.utf8).count > 2, !dummies.contains(digits) else { return nil }
        return digits
    }

    /// The smallest permanent address of the network cards that are built in.
    private static func card(_ root: Root) -> String? {
        let folder = "/sys/class/net"
        let addresses = ((try? root.names(in: folder)) ?? []).compactMap { name -> String? in
            let card = "\(folder)/\(name)"
            // 0: the card's own address; 1: Ethernet. What is plugged in comes and goes.
            guard line("\(card)/addr_assign_type", root) == "0", line("\(card)/type", root) == "1",
                root.mayExist("\(card)/device"), let device = try? root.linkTarget(card),
                !device.split(separator: "/").contains(where: { $0.hasPrefix("usb") })
            else { return nil }
            return line("\(card)/address", root)
        }
        return addresses.min()
    }
}
