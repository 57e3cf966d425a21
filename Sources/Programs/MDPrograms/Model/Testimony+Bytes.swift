import MDPlatform
import MDPropertyList

/// Testimony as the child sends it in which a program is asked: the parent is root, and the child is not.
extension Testimony {
    /// The most bytes of a testimony.
    package static let sizeLimit = 16 << 20

    /// Writes it, with the number of each entry in the policy.
    package func encoded(about policy: ProgramPolicy) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("answers")
        json.beginArray()
        for answer in answers {
            let entry = policy.entries.firstIndex { $0.domain == answer.entry.domain && $0.key == answer.entry.key }
            guard let entry else { continue }
            json.beginObject()
            json.field("entry", entry)
            json.field("result", answer.result.rawValue)
            json.field("note", answer.note)
            json.exactField("value", answer.value)
            json.endObject()
        }
        json.endArray()
        json.member("foreign")
        json.beginArray()
        for (key, value) in foreign {
            json.beginObject()
            json.field("key", key.string)
            json.exactField("value", value)
            json.endObject()
        }
        json.endArray()
        json.member("remarks")
        json.exactValue(.array(remarks.map { .string($0) }))
        json.member("names")
        json.exactValue(.array(names.map { .string($0.string) }))
        json.endObject()
        return json.utf8
    }

    /// Reads what a child sent, which may be anything.
    ///
    /// - Returns: `nil` unless it is a testimony about this policy, with at most one answer for each entry.
    package init?(_ bytes: [UInt8], about policy: ProgramPolicy) {
        self.init()
        guard bytes.count <= Testimony.sizeLimit, let source = try? SourceText(decoding: bytes),
            case .dictionary(let members)? = try? JSONReader.read(source).root.value,
            case .array(let answers) = members["answers"], case .array(let foreign) = members["foreign"],
            case .array(let remarks) = members["remarks"], case .array(let names) = members["names"]
        else { return nil }
        var known: Set<Int> = []
        for answer in answers {
            guard case .dictionary(let parts) = answer, case .integer(let number) = parts["entry"],
                let index = number.int64.map(Int.init), policy.entries.indices.contains(index),
                known.insert(index).inserted, case .string(let word) = parts["result"],
                let result = WitnessAnswer.Result(rawValue: word), case .string(let note) = parts["note"]
            else { return nil }
            self.answers.append(
                WitnessAnswer(policy.entries[index], result, value: parts["value"], note: note))
        }
        for item in foreign {
            guard case .dictionary(let parts) = item, case .string(let key) = parts["key"], let value = parts["value"]
            else { return nil }
            self.foreign.append((Key(key), value))
        }
        for remark in remarks {
            guard case .string(let text) = remark else { return nil }
            self.remarks.append(text)
        }
        for name in names {
            guard case .string(let text) = name else { return nil }
            self.names.append(Key(text))
        }
    }
}

extension JSONWriter {
    /// Writes a member that reads back exactly, or nothing.
    fileprivate mutating func exactField(_ name: String, _ value: Value?) {
        guard let value else { return }
        member(name)
        exactValue(value)
    }
}
