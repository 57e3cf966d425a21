import Engine
import ManagedDefaults
import Platform
import PropertyList

/// Policy that a test makes up.
final class OverlayPolicy: PolicySource {
    /// What it says.
    private let state: Guarded<ManagedDefaults.TestBed.Overlay>
    /// The domain of entries that name none.
    private let application: Key

    /// Says something.
    init(_ overlay: ManagedDefaults.TestBed.Overlay, application: Key) {
        state = Guarded(overlay)
        self.application = application
    }

    /// What it says now.
    var overlay: ManagedDefaults.TestBed.Overlay {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Nothing is watched: whoever changes policy has it read.
    var folders: [String] { [] }

    /// Reads policy, all of it.
    func read(_ domains: Set<PropertyList.Key>?) throws(SessionError) -> PolicyReading {
        let overlay = overlay
        return PolicyReading(resultant: overlay.resultant(of: application), uncertainty: overlay.unreadable)
    }
}
