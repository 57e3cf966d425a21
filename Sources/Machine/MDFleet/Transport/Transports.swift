package import MDPlatform

/// The ways to a centre.
package enum Transports {
    /// The way that a host was told.
    ///
    /// - Parameters:
    ///   - configuration: what the host knows of its fleet.
    ///   - root: the host.
    ///   - key: the key of the certificate, in the file system of the caller; `nil` for that of the host.
    /// - Returns: the way.
    /// - Throws: if a folder cannot be opened.
    package static func transport(
        to configuration: FleetConfiguration, of root: Root, key: String? = nil
    ) throws(FleetFault) -> any CentreTransport {
        switch configuration.centre {
        case .folder(let path): try FolderTransport(path)
        case .address(let address): CurlTransport(address, configuration, root, key: key)
        }
    }
}
