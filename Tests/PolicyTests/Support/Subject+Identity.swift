@testable import Policy

extension Subject {
    /// The same, where it is known or not known who it is.
    func identified(_ isKnown: Bool) -> Subject {
        Subject(
            userName: userName, uid: uid, gid: gid, groups: groups, groupNames: groupNames, home: home, host: host,
            tags: tags, moment: moment, isNameKnown: isNameKnown, isIdentityKnown: isKnown,
            areTagsKnown: areTagsKnown, isHostKnown: isHostKnown)
    }
}
