/// The way of a host's files to its centre and back.
package protocol CentreTransport {
    /// The centre, as people know it.
    var name: String { get }

    /// Reads a file of the centre.
    ///
    /// - Parameters:
    ///   - path: the path beneath the centre, for example `ack/pc01`.
    ///   - limit: the most bytes.
    /// - Returns: the content; `nil` if the centre says that there is no such file.
    /// - Throws: if there was no answer, so that it is unknown.
    func read(_ path: String, limit: Int) throws(FleetFault) -> [UInt8]?

    /// Reads a file of the centre that the caller may have already.
    ///
    /// - Parameters:
    ///   - path: the path beneath the centre.
    ///   - limit: the most bytes.
    ///   - tag: what the centre called the content that the caller has; `nil` for none.
    /// - Returns: what the centre answered.
    /// - Throws: if there was no answer.
    func fetch(_ path: String, limit: Int, unless tag: String?) throws(FleetFault) -> CentreAnswer

    /// Whether a file that was asked for is on its way, so that another turn follows at once.
    var isFetching: Bool { get }

    /// Puts a file of the host into the spool; it appears whole, in place of an earlier one.
    func put(_ bytes: [UInt8], as name: SpoolName) throws(FleetFault)

    /// Whether a file still waits in the spool; `nil` if hosts cannot see that.
    func isWaiting(_ name: SpoolName) throws(FleetFault) -> Bool?

    /// Waits until the centre has news, where it can say so.
    ///
    /// - Parameter seconds: the longest wait.
    /// - Returns: whether there are news; `false`, perhaps at once, if that is not known.
    func awaitNews(seconds: Int) -> Bool
}

/// What a centre says of a file.
package enum CentreAnswer: Hashable, Sendable {
    /// There is none.
    case missing
    /// It has the content of the tag that was given.
    case unchanged
    /// It has this content; the centre's tag of it, if it gives one.
    case content([UInt8], tag: String?)
}

extension CentreTransport {
    package func fetch(_ path: String, limit: Int, unless tag: String?) throws(FleetFault) -> CentreAnswer {
        try read(path, limit: limit).map { .content($0, tag: nil) } ?? .missing
    }

    package var isFetching: Bool { false }
}
