package import MDPlatform
package import MDPolicyModel

extension PolicySet {
    /// The next moment at which time changes what is in force for any user of any host.
    ///
    /// For one user less may change. A search that would take too long ends at an earlier moment, never at a later one.
    ///
    /// Complexity: O(files and waivers), and a bounded search for each schedule.
    ///
    /// - Parameter moment: the moment after which it is.
    /// - Returns: `nil` if time changes nothing any more.
    package func nextChange(after moment: Moment) -> Timestamp? {
        let policies = files.lazy.compactMap(\.policy)
        let calendars = FilesInForce.calendars(of: policies)
        var next: Timestamp?
        /// Takes over an earlier moment.
        func consider(_ time: Timestamp?) {
            guard let time, moment.time < time else { return }
            next = next.map { min($0, time) } ?? time
        }
        for policy in policies {
            if let target = policy.target, target.dependsOnTime {
                let verdict = target.time(at: moment, calendars: calendars, inWords: false)
                consider(verdict.nextChange)
                consider(verdict.nextCertainty)
            }
            for waiver in policy.waivers { consider(waiver.until) }
        }
        consider(moment.clockCatchesUp)
        return next
    }
}
