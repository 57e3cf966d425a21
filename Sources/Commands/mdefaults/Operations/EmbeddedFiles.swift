import MDCEmbedded

/// Files of the package that are part of the command.
enum EmbeddedFiles {
    /// What is at a path of the example machine.
    enum Content {
        case file([UInt8])
        case link(target: String)
    }

    /// Files and links of `Examples/lab`, in byte order of their paths beneath it.
    static var lab: [(path: String, content: Content)] {
        let files = unsafe UnsafeBufferPointer(start: mdc_lab, count: mdc_lab_count)
        return unsafe files.map { file in
            let content =
                unsafe file.target.map { unsafe Content.link(target: String(cString: $0)) }
                ?? .file(Array(UnsafeBufferPointer(start: file.bytes, count: file.size)))
            return unsafe (String(cString: file.path), content)
        }
    }

    /// The JSON Schema of policy files.
    static var schema: [UInt8] { unsafe Array(UnsafeBufferPointer(start: mdc_schema, count: mdc_schema_size)) }
}
