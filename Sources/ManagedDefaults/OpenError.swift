extension ManagedDefaults {
    /// Why the defaults of another root could not be opened.
    public struct OpenError: Error, CustomStringConvertible {
        /// What was wrong, in a sentence.
        public let message: String

        /// What was wrong, in a sentence.
        public var description: String { message }
    }
}
