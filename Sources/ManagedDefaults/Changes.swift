import Platform

extension ManagedDefaults {
    /// The changes of all keys, as an asynchronous sequence.
    ///
    /// A reader who falls behind gets the newest change of each key, in the order in which they happened, so that
    /// nothing is lost and memory stays bounded by the number of keys.
    public struct Changes: AsyncSequence, Sendable {
        /// The defaults that change.
        private let defaults: ManagedDefaults

        /// Makes a sequence.
        init(_ defaults: ManagedDefaults) {
            self.defaults = defaults
        }

        /// Begins to observe.
        public func makeAsyncIterator() -> Iterator {
            let buffer = ChangeBuffer()
            return Iterator(buffer, defaults.observe { buffer.add($0) })
        }

        /// One reader of the changes, from its making on.
        public struct Iterator: AsyncIteratorProtocol {
            /// What is waiting.
            private let buffer: ChangeBuffer
            /// Kept for as long as the iterator.
            private let observation: Observation

            /// Keeps what is needed.
            init(_ buffer: ChangeBuffer, _ observation: Observation) {
                self.buffer = buffer
                self.observation = observation
            }

            /// The next change; `nil` once the task is cancelled.
            public mutating func next() async -> Change? {
                await withTaskCancellationHandler {
                    await buffer.next()
                } onCancel: { [buffer] in
                    buffer.end()
                }
            }
        }
    }
}
