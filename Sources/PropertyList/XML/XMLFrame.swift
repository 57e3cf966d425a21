/// What stands around the values of an XML property list.
enum XMLFrame: Hashable {
    /// `<plist>`, as it must be.
    case propertyList
    /// Nothing: the root value is the outermost element. Only of a tolerant reading.
    case bare
    /// Not even `<dict>`: keys and values follow each other. Only of a tolerant reading.
    case fragment
}
