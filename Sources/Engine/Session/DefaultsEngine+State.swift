import Policy
import Preferences
import PropertyList

extension DefaultsEngine.State {
    /// Reads policy's and the files' layers anew; registered defaults and pending changes stay.
    mutating func read(domain: Key, suites: [Key], arguments: [Key: Value]) {
        guard let session else {
            let layer = SearchLayer(.argument, domain: .argument, values: arguments)
            list = SearchList(layers: arguments.isEmpty ? [] : [layer])
            return
        }
        let search = session.search(application: domain, suites: suites, arguments: arguments)
        list = search.list
        problems.append(contentsOf: search.problems)
        uncertainty = session.machine.uncertainty
        if let reason = uncertainty {
            problems.append("It cannot be told what is forced, because policy could not be read: \(reason).")
        }
    }

    /// The search list with pending changes and registered defaults in their places.
    func effectiveList(domain: Key) -> SearchList {
        var layers = list.layers
        if !pending.isEmpty {
            let kind: LayerKind = domain == DomainName.global ? .global : .application
            let index = layers.firstIndex { $0.kind == kind && $0.domain == domain }
            var values = index.map { layers[$0].values } ?? [:]
            for (key, value) in pending { values[key] = value }
            let layer = SearchLayer(kind, domain: domain, values: values, path: index.flatMap { layers[$0].path })
            if let index {
                layers[index] = layer
            } else {
                // Layers stand in the order of their kinds.
                layers.insert(layer, at: layers.firstIndex { $0.kind.isBehind(kind) } ?? layers.endIndex)
            }
        }
        if !registration.isEmpty {
            layers.append(SearchLayer(.registration, domain: .registration, values: registration))
        }
        return SearchList(layers: layers)
    }
}
