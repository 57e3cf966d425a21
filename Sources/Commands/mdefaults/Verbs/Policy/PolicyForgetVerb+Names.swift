import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyStore
import MDPropertyList

extension PolicyForgetVerb {
    /// Ends what is recorded of a name, or of every name of directories that answer otherwise now.
    static func forgetNames(
        _ name: String?, _ store: PolicyStore, _ context: Context
    ) throws(Failure) -> ExitCode {
        let recorder = PolicyChangeRecorder(root: store.root)
        var changes: [PolicyChange] = []
        if store.isManaged {
            do throws(OperationError) {
                if let name {
                    changes = try store.forget(name: Key(name)) { recorder.record($0) }
                } else {
                    changes = try store.forgetDirectory { recorder.record($0) }
                }
            } catch {
                throw failure(error)
            }
        }
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginObject()
            json.member("changes")
            json.beginArray()
            for change in changes {
                json.beginObject()
                json.field("file", store.root.display(change.path))
                json.field("change", change.note)
                json.endObject()
            }
            json.endArray()
            json.endObject()
            try context.print(json)
        } else if changes.isEmpty {
            try context.console.line("No id of a name changes by that.")
        } else {
            for change in changes { try context.console.line(Printable.escape(change.note)) }
        }
        return changes.isEmpty ? .no : .success
    }
}
