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
            return try HostFacts(reading: bytes)
        } catch {
            throw Failure(code: .badInput, message: "\(Printable.escape(word)):\(error.position): \(error.message).")
        }
    }
}
