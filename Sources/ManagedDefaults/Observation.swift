package import Engine

extension ManagedDefaults {
    /// An observation of changes, which ends when it is cancelled or nobody keeps it any more.
    public final class Observation: Sendable {
        /// The observer.
        private let observer: ChangeObserver
        /// Who tells it.
        private let engine: DefaultsEngine

        /// Keeps an observer.
        package init(_ observer: ChangeObserver, of engine: DefaultsEngine) {
            self.observer = observer
            self.engine = engine
        }

        deinit {
            cancel()
        }

        /// Ends the observation; on other threads a call that is under way may still end.
        public func cancel() {
            engine.cancel(observer)
        }
    }
}
