import Platform
import Policy
import PropertyList

extension Origin {
    /// `POLICY, FILE:LINE:COLUMN`, with what came from outside escaped; two lines where a terminal is too narrow for one,
    /// so that the place can be copied.
    func lines(in root: Root, indent: Int, note: String = "") -> [String] {
        let blanks = Layout.blanks(indent)
        let policy = Printable.escape(policy)
        let line = "\(blanks)\(policy), \(place(in: root))\(note)"
        if Layout.columns(of: line) <= Layout.width { return [line] }
        return ["\(blanks)\(policy),", "\(blanks)\(place(in: root))\(note)"]
    }

    /// `FILE:LINE:COLUMN`, or `FILE, byte N` for a binary file.
    func place(in root: Root) -> String {
        let file = Printable.escape(root.display(self.file))
        return position.isBinary ? "\(file), \(position)" : "\(file):\(position)"
    }
}
