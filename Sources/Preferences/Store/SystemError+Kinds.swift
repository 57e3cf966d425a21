import Platform

extension SystemError {
    /// Whether a name is taken already (EEXIST, asm-generic/errno-base.h).
    var isTaken: Bool { code == 17 }

    /// Whether a file changed while it was read (ESTALE, asm-generic/errno.h).
    var isStale: Bool { code == 116 }

    /// Whether a wait was given up (ETIMEDOUT, asm-generic/errno.h).
    var isTimeout: Bool { code == 110 }
}
