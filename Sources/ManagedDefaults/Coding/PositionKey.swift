/// A place in a coding path that no type declares: a position in an array, or a super class.
struct PositionKey: CodingKey {
    /// The position, or the name that stands for a super class.
    let stringValue: String
    /// The position.
    let intValue: Int?

    /// The key under which a super class is stored.
    static let superclass = PositionKey(stringValue: "super")

    /// The place of an element.
    init(_ index: Int) {
        stringValue = "\(index)"
        intValue = index
    }

    /// A named place.
    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    /// The place of an element.
    init(intValue: Int) {
        self.init(intValue)
    }
}
