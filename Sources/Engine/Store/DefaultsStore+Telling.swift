import Platform
import PropertyList

extension DefaultsStore {
    /// Changes what is in memory, then tells observers.
    func change<Result>(_ body: (inout State) -> sending Result) -> sending Result {
        lookWhileUnwatched()
        let (result, mustTell) = state.withLock { state in
            let result = body(&state)
            return (result, !state.events.isEmpty && !state.isTelling || !state.attempts.isEmpty)
        }
        if mustTell { tell() }
        return result
    }

    /// Tells observers of every change, in order, and of those that they make meanwhile.
    ///
    /// One thread tells at a time; another that makes changes leaves them to it.
    func tell() {
        recordFound()
        while true {
            let events = state.withLock { state -> [Event] in
                guard !state.isTelling, !state.events.isEmpty else { return [] }
                state.isTelling = true
                defer { state.events = [] }
                return state.events
            }
            guard !events.isEmpty else { return }
            for event in events { event.observer.tell(event.change) }
            state.withLock { $0.isTelling = false }
        }
    }
}

extension DefaultsStore.State {
    /// Changes a key of a domain in memory, to be saved, and what every view of it returns.
    mutating func change(_ content: DomainContent, _ key: Key, _ value: Value?) {
        // The usual change costs as little as can be: nobody observes, and no other domains come with it.
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
    ///   - cause: what observers are told.
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
            if !view.observers.isEmpty { tell(view, before, answers(of: view, for: keys), cause) }
        }
    }

    /// Changes what views search, policy, suites or lists, and what they return.
    mutating func rearrange(
        _ affected: some Collection<DefaultsView>, cause: EffectiveChange.Cause, _ body: (inout Self) -> Void
    ) {
        let before = affected.map { $0.observers.isEmpty ? [:] : $0.answers() }
        body(&self)
        for (view, before) in zip(affected, before) {
            arrange(view)
            view.dropTable()
            if !view.observers.isEmpty { tell(view, before, view.answers(), cause) }
        }
    }

    /// Gives a view the layers that it searches now, its user's languages among them.
    mutating func arrange(_ view: DefaultsView) {
        view.constraints = resultant.constraints(in: view.forcingDomains)
        view.layers = layers(of: view)
        defer { noteValuesOutside(of: view) }
        // No language's domain says which languages there are, so they do not change what this finds.
        let names = LanguageDomains.preferred(
            appleLanguages: view.answer(for: .appleLanguages).value, environment: environment)
        guard names != view.languageNames else { return }
        view.languageNames = names
        view.languages = LanguageDomains.layers(for: names).map { ($0.domain, DomainContent(nil, values: $0.values)) }
        view.layers = layers(of: view)
    }

    /// What lookups of some keys find, where an observer wants to know.
    private func answers(
        of view: DefaultsView, for keys: some Collection<Key>
    ) -> [Key: DefaultsView.Answer] {
        Dictionary(uniqueKeysWithValues: keys.map { ($0, view.answer(for: $0)) })
    }

    /// Puts what differs on its way to the observers of a view.
    private mutating func tell(
        _ view: DefaultsView, _ before: [Key: DefaultsView.Answer], _ after: [Key: DefaultsView.Answer],
        _ cause: EffectiveChange.Cause
    ) {
        let nothing = DefaultsView.Answer(value: nil, forced: nil, constraint: nil)
        for key in Set(before.keys).union(after.keys).sorted() {
            let now = after[key] ?? nothing
            guard !now.isSame(as: before[key] ?? nothing) else { continue }
            let change = EffectiveChange(
                key: key, value: now.value, forced: now.forced, constraint: now.constraint, cause: cause)
            for observer in view.observers.values where observer.key == nil || observer.key == key {
                events.append(DefaultsStore.Event(observer: observer, change: change))
            }
        }
    }
}
