import Glibc

extension SystemError {
    /// Whether links lead in a circle.
    package var isLoop: Bool { code == ELOOP }
}
