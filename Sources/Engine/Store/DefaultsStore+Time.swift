import Platform

extension DefaultsStore {
    /// When policy is read anew without anybody's doing.
    enum NextReading {
        /// At the next moment at which time changes it, where there is one.
        case at(Timestamp?)
        /// In a second, because it could not be read now.
        case soon
    }

    /// The least time between two readings of policy that time brings about, in microseconds.
    private static let readingPause: Int64 = 10_000
    /// The time after which policy is read again that could not be read, in microseconds.
    private static let retryPause: Int64 = 1_000_000

    /// Has policy read anew when the machine gets another time zone: the name of a file is watched as that of a folder.
    private func watchZone() {
        zoneWatch.withLock { watch in
            guard watch?.isOfThisProcess != true else { return }
            watch = FolderWatch(root: root, folders: ["/etc/localtime"]) { [weak self] _ in _ = self?.readPolicy() }
        }
    }

    /// An alarm that has policy read anew.
    private func makeAlarm() -> WallAlarm { WallAlarm { [weak self] in _ = self?.readPolicy() } }

    /// Has policy read anew when time changes it.
    ///
    /// Before the store watches there is no alarm: the beginning of the watch reads policy. Policy that does not depend on
    /// time never has one.
    func setAlarm(_ next: NextReading) {
        guard watch.withLock({ $0?.isOfThisProcess }) == true else { return }
        let now = Clock.now().microseconds
        alarm.withLock { alarm in
            switch next {
            case .soon:
                if alarm?.isOfThisProcess != true { alarm = makeAlarm() }
                alarm?.set(Timestamp(microseconds: now + DefaultsStore.retryPause))
            case .at(let time):
                if time == nil, alarm == nil { return }
                if time != nil { watchZone() }
                if alarm?.isOfThisProcess != true { alarm = makeAlarm() }
                let earliest = now + DefaultsStore.readingPause
                alarm?.set(time.map { Timestamp(microseconds: max($0.microseconds, earliest)) })
            }
        }
    }
}
