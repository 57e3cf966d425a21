import Platform

extension DefaultsStore {
    /// The least time between two readings of policy that time brings about, in microseconds.
    private static let readingPause: Int64 = 10_000

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
    ///
    /// - Parameter time: the next moment at which time changes policy; `nil` if there is none.
    func setAlarm(_ time: Timestamp?) {
        guard watch.withLock({ $0?.isOfThisProcess }) == true else { return }
        let now = Clock.now().microseconds
        alarm.withLock { alarm in
            if time == nil, alarm == nil { return }
            if time != nil { watchZone() }
            if alarm?.isOfThisProcess != true { alarm = makeAlarm() }
            let earliest = now + DefaultsStore.readingPause
            alarm?.set(time.map { Timestamp(microseconds: max($0.microseconds, earliest)) })
        }
    }
}
