import Glibc

/// Functions that run when the process ends by `exit` or by a return from `main`.
package enum ProcessExit {
    /// The functions, by the number of their registration.
    private struct State {
        /// What is to be run.
        var functions: [@Sendable () -> Void] = []
        /// Whether the C library knows of us.
        var isRegistered = false
    }

    /// What was registered in this process.
    private static let state = Guarded(State())

    /// Adds a function; it runs once, on the thread that ends the process.
    package static func register(_ function: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.functions.append(function)
            defer { state.isRegistered = true }
            return !state.isRegistered
        }
        if isFirst { atexit { ProcessExit.runAll() } }
    }

    /// Ends the process with an exit code, after the registered functions.
    package static func end(_ code: Int32) -> Never {
        exit(code)
    }

    /// Runs and forgets every function.
    private static func runAll() {
        let functions = state.withLock { state in
            defer { state.functions = [] }
            return state.functions
        }
        for function in functions { function() }
    }
}
