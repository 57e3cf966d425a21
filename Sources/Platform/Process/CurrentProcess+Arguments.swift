import CPlatform
import Glibc

extension CurrentProcess {
    /// What the process was started with, without its name; what is no text has U+FFFD in the place of what is none.
    ///
    /// `CommandLine.arguments` reads /proc, and is empty where that is not mounted.
    package static var arguments: [String] {
        var arguments: [String] = []
        var index: Int32 = 1
        // The kernel ends each argument with NUL, and they live as long as the process does.
        while let text = unsafe cplatform_argument(index) {
            unsafe arguments.append(String(cString: text))
            index += 1
        }
        return arguments
    }

    /// Whether every argument is valid UTF-8.
    package static var areArgumentsText: Bool {
        var index: Int32 = 1
        // As above; the length is that up to the NUL.
        while let text = unsafe cplatform_argument(index) {
            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: strlen(text))
            if unsafe bytes.contains(where: { $0 >= 0x80 }), unsafe String(exactly: bytes) == nil { return false }
            index += 1
        }
        return true
    }
}
