import Audit
import Platform
import Policy

extension PolicyMachine {
    /// Where this process is, and who, as records say it; `nil` where its own names and ids do.
    ///
    /// In a user namespace the ids, and mostly the name of the host, are what whoever made it chose.
    ///
    /// - Parameter account: the caller, as the namespace has them.
    /// - Returns: where and who.
    func recordOrigin(of account: Account) -> RecordOrigin? {
        // A machine without policy asks the kernel nothing.
        guard root.isSystem, isManaged, facts == nil, CurrentProcess.isPolicyOutside else { return nil }
        return RecordOrigin(host: isHostKnown ? host.short : nil) { [self] in
            if let known = identityQuestion(about: account, isCaller: true)?.answer {
                return RecordOrigin.Person(uid: known.uid, name: known.account?.name)
            }
            // An id that a user gives himself, of which policy knows nothing, still leads to him.
            guard content.hasRecord, let own = OutsideIdentity.own else { return nil }
            return RecordOrigin.Person(uid: own.uid, name: nil)
        }
    }
}
