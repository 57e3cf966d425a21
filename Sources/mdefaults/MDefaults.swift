/// The command line tool.
@main struct MDefaults {
    /// Runs the tool.
    static func main() {}
}
