import Engine
import Platform

extension Context {
    /// What the file of `--facts` tells about another host; `nil` without the option.
    ///
    /// - Throws: exit 4 where the file cannot be read, exit 5 with its place where it does not parse.
    func facts() throws(Failure) -> HostFacts? {
        guard let word = options.facts else { return nil }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes =
                word == "-"
                ? try StandardInput.readAll(limit: HostFacts.sizeLimit)
                : try Root.system.read(try CallerPath.absolute(word), limit: HostFacts.sizeLimit).bytes
        } catch {
            throw .of(error)
        }
        do {
            let facts = try HostFacts(reading: bytes)
            if facts.timeZone == nil {
                console.say(
                    "\(Printable.escape(word)) has no TimeZone, so windows that name no zone are taken as this machine's."
                )
            }
            return facts
        } catch {
            throw Failure(code: .badInput, message: "\(Printable.escape(word)):\(error.position): \(error.message).")
        }
    }
}
