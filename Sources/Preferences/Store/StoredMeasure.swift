import PropertyList

/// Walks over values before they are stored, to refuse what could not be read again.
struct StoredMeasure {
    /// The bounds of what is read.
    let limits: Limits
    /// The values and keys so far.
    private var objects = 0
    /// Whether a date was met that is not on a whole second, which XML has no form for.
    private(set) var hasFractionalDate = false

    /// Begins to count.
    init(limits: Limits) {
        self.limits = limits
    }

    /// Walks over a value.
    ///
    /// - Returns: what is beyond the limits, as the end of a sentence; `nil` where nothing is.
    ///
    /// Complexity: O(values), ended at the first excess. Recursion ends at the depth limit.
    mutating func excess(of value: Value, depth: Int = 1) -> String? {
        guard depth <= limits.depth else { return "its values are nested more than \(limits.depth) deep" }
        switch value {
        case .dictionary(let entries):
            objects += 1 + entries.count
            if let excess = tooMany { return excess }
            for value in entries.values {
                if let excess = excess(of: value, depth: depth + 1) { return excess }
            }
        case .array(let elements):
            objects += 1
            if let excess = tooMany { return excess }
            for value in elements {
                if let excess = excess(of: value, depth: depth + 1) { return excess }
            }
        case .date(let seconds):
            objects += 1
            if seconds != seconds.rounded(.down) { hasFractionalDate = true }
        case .string, .boolean, .integer, .real, .data:
            objects += 1
        }
        return tooMany
    }

    /// The end of a sentence about too many values, or `nil`.
    private var tooMany: String? {
        objects > limits.objects ? "it would hold more than \(limits.objects) values and keys" : nil
    }
}
