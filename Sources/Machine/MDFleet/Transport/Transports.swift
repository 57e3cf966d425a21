package import MDPlatform

/// The ways to a centre.
package enum Transports {
    /// The way that a host was told.
    package static func transport(
        to configuration: FleetConfiguration, of root: Root
    ) throws(FleetFault) -> any CentreTransport {
        switch configuration.centre {
        case .folder(let path): try FolderTransport(path)
        case .address(let address): try CurlTransport(address, configuration, root)
        }
    }
}
