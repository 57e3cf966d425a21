import Audit
import Platform
import Testing

/// The text of a checkpoint.
struct CheckpointTests {
    /// A checkpoint.
    private let checkpoint = Checkpoint(
        origin: "managed-defaults/lab-01/00112233445566778899aabbccddeeff", size: 40, root: SHA256.hash([]))

    @Test("The text has three lines and an empty one, and reads back")
    func text() {
        #expect(
            checkpoint.text
                == "managed-defaults/lab-01/00112233445566778899aabbccddeeff\n40\n"
                + "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n")
        #expect(Checkpoint(text: Array(checkpoint.text.utf8)) == checkpoint)
        #expect(checkpoint.logID == "00112233445566778899aabbccddeeff")
    }

    @Test("No text that differs in one byte is the same checkpoint, and no shorter text is one")
    func strictness() {
        let bytes = Array(checkpoint.text.utf8)
        for index in bytes.indices {
            #expect(Checkpoint(text: Array(bytes[..<index])) == nil)
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                #expect(Checkpoint(text: changed) != checkpoint)
            }
        }
    }

    @Test(
        "Other texts are refused",
        arguments: [
            "", "\n\n\n\n", "x\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n",
            "managed-defaults/h/00112233445566778899aabbccddeeff\n01\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n",
            "managed-defaults/h/00112233445566778899aabbccddeeff\n+1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n",
            "managed-defaults/h/00112233445566778899aabbccddeeff\n99999999999999999999\n"
                + "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n",
            "managed-defaults/h/00112233445566778899aabbccddeeff\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\nx",
            "managed-defaults/h/00112233445566778899aabbccddeeff\n1\n47DEQpj8HBSa+/TImW+5\n\n",
        ])
    func otherTexts(text: String) {
        #expect(Checkpoint(text: Array(text.utf8)) == nil)
    }

    @Test("A new origin names the host harmlessly and never repeats")
    func origins() {
        let origin = Checkpoint.newOrigin(host: "lab 1+ü/\n")
        #expect(origin.hasPrefix("managed-defaults/lab_1____/"))
        #expect(origin != Checkpoint.newOrigin(host: "lab 1+ü/\n"))
        let checkpoint = Checkpoint(origin: origin, size: 0, root: SHA256.hash([]))
        #expect(Checkpoint(text: Array(checkpoint.text.utf8)) == checkpoint)
    }
}
