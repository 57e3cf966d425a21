import Platform
import Policy
import PropertyList

extension Origin {
    /// `POLICY, FILE:LINE:COLUMN`, with what came from outside escaped.
    func text(in root: Root) -> String {
        "\(Printable.escape(policy)), \(place(in: root))"
    }

    /// `FILE:LINE:COLUMN`, or `FILE, byte N` for a binary file.
    func place(in root: Root) -> String {
        let file = Printable.escape(root.display(self.file))
        return position.isBinary ? "\(file), \(position)" : "\(file):\(position)"
    }
}
