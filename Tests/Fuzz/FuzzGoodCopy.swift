import PropertyList

@testable import Policy

/// Feeds the reader of the names of good copies: only what is written for a copy is one.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let name = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    if let copy = GoodCopy(fileName: name) {
        guard copy.fileName.utf8.elementsEqual(name.utf8) else { fatalError("two names are one copy") }
        let next = copy.next(digest: copy.digest, isSigned: copy.isSigned)
        guard GoodCopy(fileName: next.fileName) == next else { fatalError("the next copy's name does not read") }
    }
    if let words = try? TagFile.words(in: Array(name.utf8)) {
        guard words.allSatisfy({ !$0.string.isEmpty }) else { fatalError("a tag is empty") }
    }
    return 0
}
