import MDAuditClient
import MDAuditRecord
import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPropertyList

extension DefaultsStore {
    /// Changes what is in memory, then notifies observers.
    func change<Result>(_ body: (inout State) -> sending Result) -> sending Result {
        refreshIfUnwatched()
        let (result, mustNotify) = state.withLock { state in
            let result = body(&state)
            return (result, !state.events.isEmpty && !state.isNotifying || !state.attempts.isEmpty)
        }
        if mustNotify { notifyObservers() }
        return result
    }

    /// Notifies observers of every change, in order, and of those that they make meanwhile.
    ///
    /// One thread notifies at a time; changes of other threads are left to it.
    func notifyObservers() {
        recordFoundValues()
        while true {
            let events = state.withLock { state -> [Event] in
                guard !state.isNotifying, !state.events.isEmpty else { return [] }
                state.isNotifying = true
                defer { state.events = [] }
                return state.events
            }
            guard !events.isEmpty else { return }
            for event in events { event.observer.notify(event.change) }
            state.withLock { $0.isNotifying = false }
        }
    }
}

extension DefaultsStore.State {
    /// Changes a key of a domain in memory, to be saved, and what every view of it returns.
    mutating func change(_ content: DomainContent, _ key: Key, _ value: Value?) {
        // The usual change costs little: there are no observers, and no other domains change with it.
        guard key != .appleLanguages, !views.values.contains(where: { !$0.observers.isEmpty }) else {
            return change(content, [key: value], isPending: true, cause: .application)
        }
        content.apply(key, value, isPending: true)
        for view in views.values where view.searches(content) { view.update(key) }
    }

    /// Changes some keys of a domain in memory, and what every view of it returns.
    ///
    /// - Parameters:
    ///   - content: the domain.
    ///   - changes: the new values; `nil` removes a key.
    ///   - isPending: whether the changes are to be saved.
    ///   - cause: the cause that observers get.
    mutating func change(
        _ content: DomainContent, _ changes: [Key: Value?], isPending: Bool, cause: EffectiveChange.Cause
    ) {
        let keys = changes.keys
        if keys.contains(.appleLanguages) {
            // Other languages are other domains.
            let affected = views.values.filter { $0.searches(content) }
            return rearrange(affected, cause: cause) { _ in content.apply(changes, isPending: isPending) }
        }
        let affected = views.values.filter { $0.searches(content) }
        let before = affected.map { view in
            view.observers.isEmpty ? [:] : answers(of: view, for: keys)
        }
        content.apply(changes, isPending: isPending)
        for (view, before) in zip(affected, before) {
            if !isPending { noteValuesOutside(of: view, keys: keys) }
            view.update(keys)
            if !view.observers.isEmpty { notify(view, before, answers(of: view, for: keys), cause) }
        }
    }

    /// Changes what views search, policy, suites or lists, and what they return.
    mutating func rearrange(
        _ affected: some Collection<DefaultsView>, cause: EffectiveChange.Cause, _ body: (inout Self) -> Void
    ) {
        let before = affected.map { $0.lookUpObserved() }
        body(&self)
        for (view, before) in zip(affected, before) {
            arrange(view)
            view.kept.drop()
            view.dropIndex()
            if !view.observers.isEmpty { notify(view, before, view.lookUpObserved(), cause) }
        }
    }

    /// Gives a view the layers that it searches now, its user's languages among them.
    mutating func arrange(_ view: DefaultsView) {
        view.forcingDomains = view.order.forcingDomains
        view.constraints = resultant.constraints(in: view.forcingDomains)
        view.layers = layers(of: view)
        defer { noteValuesOutside(of: view) }
        // What the layers of languages have is made of this, so they do not count in it.
        let found = view.lookUp(.appleLanguages)
        let isStored = found.source.map { view.layers[$0].kind != .language } ?? false
        let names = LanguageDomains.preferred(
            appleLanguages: isStored ? found.value : nil, environment: environment)
        if names != view.languageNames {
            view.languageNames = names
            view.languages = LanguageDomains.layers(for: names).map {
                ($0.domain, DomainContent(nil, values: $0.values))
            }
            view.forcingDomains = view.order.forcingDomains
            view.layers = layers(of: view)
        }
        view.publishRefusals(resultant)
    }

    /// What lookups of some keys find, for observers.
    private func answers(
        of view: DefaultsView, for keys: some Collection<Key>
    ) -> [Key: LookupResult] {
        Dictionary(uniqueKeysWithValues: keys.map { ($0, view.lookUp($0)) })
    }

    /// Puts what differs on its way to the observers of a view.
    private mutating func notify(
        _ view: DefaultsView, _ before: [Key: LookupResult], _ after: [Key: LookupResult],
        _ cause: EffectiveChange.Cause
    ) {
        let nothing = LookupResult(value: nil, source: nil, forcing: nil, rule: .free)
        for key in Set(before.keys).union(after.keys).sorted() {
            let now = after[key] ?? nothing
            guard !now.isSame(as: before[key] ?? nothing) else { continue }
            let change = EffectiveChange(
                key: key, value: now.value, rule: now.rule, cause: cause)
            for observer in view.observers.values where observer.key == nil || observer.key == key {
                events.append(DefaultsStore.Event(observer: observer, change: change))
            }
        }
    }
}

/// A stored value outside of its constraint, as a process remembers it to record it once.
struct FoundValue: Hashable {
    /// The domain's file.
    let place: StoredPlace
    /// The key.
    let key: Key
    /// The value, as a record would show it.
    let value: ValueSummary
}

/// A stored value outside of its constraint, and for which application it was found.
struct FoundAttempt {
    /// What is recorded.
    let attempt: RecordedWrite
    /// The application.
    let identity: ApplicationIdentity
}

extension DefaultsStore.State {
    /// The most values that a process remembers; further ones are recorded each time they are found.
    private static let foundLimit = 4_096

    /// Looks for stored values that a view's constraints do not allow: something wrote them past the library, or before
    /// there was the constraint.
    ///
    /// Complexity: O(constraints x layers); nothing without constraints.
    ///
    /// - Parameters:
    ///   - view: the view.
    ///   - keys: the keys whose values may be new; `nil` for all.
    mutating func noteValuesOutside(of view: DefaultsView, keys: (some Collection<Key>)?) {
        if view.constraints.isEmpty { return }
        for (key, constraint) in view.constraints where keys.map({ $0.contains(key) }) ?? true {
            // If policy decides the key, what the user stored counts as hidden anyway.
            if view.rule(of: key).isForced { continue }
            for layer in view.layers where layer.kind.isUsers {
                guard case .content(_, let domain, let content) = layer, let place = content.place,
                    let value = content.values[key]
                else { continue }
                let clamped = constraint.clamp(value)
                if let clamped, clamped.isIdentical(to: value) { continue }
                let identity = FoundValue(place: place, key: key, value: ValueSummary(value))
                guard found.count >= Self.foundLimit || found.insert(identity).inserted else { continue }
                attempts.append(
                    FoundAttempt(
                        attempt: RecordedWrite(
                            constraint, kept: clamped, domain: domain, tried: value, via: .file,
                            outcome: clamped == nil ? .hidden : .clamped),
                        identity: view.identity))
            }
        }
    }

    /// Looks at every constraint of a view.
    mutating func noteValuesOutside(of view: DefaultsView) {
        noteValuesOutside(of: view, keys: [Key]?.none)
    }
}

extension DefaultsStore {
    /// Records the values that were found outside of their constraints.
    func recordFoundValues() {
        let attempts = state.withLock { state -> [FoundAttempt] in
            if state.attempts.isEmpty { return [] }
            defer { state.attempts = [] }
            return state.attempts
        }
        for found in attempts { record(found.attempt, of: found.identity) }
    }
}
