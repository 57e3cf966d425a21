import ConformanceTable
import Foundation

/// Counts notifications of one name.
final class NotificationRecord: @unchecked Sendable {
    /// Guards the rest.
    private let lock = NSLock()
    /// Keeps the observation.
    private var observer: (any NSObjectProtocol)?
    /// How many came.
    private var received = 0
    /// Whose object the last one had, and whether it had a userInfo.
    private var lastOne = Wire.nothing

    /// How many came.
    var count: Int { lock.withLock { received } }

    /// What the last one was like.
    var last: Wire { lock.withLock { lastOne } }

    /// Begins to count.
    ///
    /// - Parameters:
    ///   - name: the notification.
    ///   - object: whose notifications are told from others.
    func begin(_ name: Notification.Name, object: AnyObject) {
        let expected = ObjectIdentifier(object)
        observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
            [self] notification in
            let isObject = (notification.object as AnyObject?).map { ObjectIdentifier($0) == expected } ?? false
            let hasInfo = !(notification.userInfo ?? [:]).isEmpty
            lock.withLock {
                received += 1
                lastOne = .dictionary(["isObject": .boolean(isObject), "hasUserInfo": .boolean(hasInfo)])
            }
        }
    }
}
