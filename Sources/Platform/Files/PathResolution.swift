/// Who resolves paths beneath a folder.
package enum PathResolution: Sendable {
    /// The kernel where it can (openat2, Linux 5.6), else the walk.
    case automatic
    /// The kernel.
    case kernel
    /// The walk, name by name.
    case walk
}
