import MDPlatform

/// A centre that is a folder: a mounted one, or a demo's.
///
/// Root uses it as its owner, so that no link there leads where the owner could not go.
package struct FolderTransport: CentreTransport {
    package let name: String
    private let root: Root

    /// Opens the folder of the centre, which has `pub`, `in` and `ack`.
    package init(_ path: String) throws(FleetFault) {
        name = path
        do throws(SystemError) {
            root = try Root(directory: path)
        } catch {
            throw FleetFault("\(error)")
        }
    }

    package func read(_ path: String, limit: Int) throws(FleetFault) -> [UInt8]? {
        do throws(SystemError) {
            return try CurrentThread.usingFiles(as: root.owner) { () throws(SystemError) in
                try root.read("/" + path, limit: limit).bytes
            }
        } catch {
            if error.isMissing { return nil }
            throw FleetFault("\(error)")
        }
    }

    package func put(_ bytes: [UInt8], as name: SpoolName) throws(FleetFault) {
        do throws(SystemError) {
            try CurrentThread.usingFiles(as: root.owner) { () throws(SystemError) in
                try root.replace("/in/\(name)", with: bytes, mode: 0o640)
            }
        } catch {
            throw FleetFault("\(error)")
        }
    }

    package func isWaiting(_ name: SpoolName) throws(FleetFault) -> Bool? {
        do throws(SystemError) {
            return try CurrentThread.usingFiles(as: root.owner) { () throws(SystemError) in
                try root.status("/in/\(name)", followingLinks: false).kind == .regular
            }
        } catch {
            if error.isMissing { return false }
            throw FleetFault("\(error)")
        }
    }

    package func awaitNews(seconds: Int) -> Bool { false }
}
