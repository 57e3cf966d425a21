import CPlatform
import Glibc

/// Starts threads that nobody joins and that keep no process from ending.
///
/// Signals are left to the application's own threads, except for a thread's own faults.
enum BackgroundThread {
    /// Carries a function to its thread.
    private final class Body {
        /// The function.
        let run: @Sendable () -> Void

        /// Takes a function along.
        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - name: what debuggers show; at most 15 bytes.
    ///   - body: what the thread does.
    /// - Returns: the thread; `nil` where the system grants none.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> pthread_t? {
        // The thread takes over this reference and gives it back when it has taken the function from it.
        let reference = unsafe Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        // The C function copies the name; the thread writes nothing to `thread`.
        let code = unsafe cplatform_start_thread(
            &thread, name,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, reference.toOpaque())
        if code == 0 { return thread }
        unsafe reference.release()
        return nil
    }
}
