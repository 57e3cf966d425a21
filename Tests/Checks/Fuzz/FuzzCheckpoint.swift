@testable import MDAuditLog

/// Feeds the readers of a log's checkpoint, of its history and of the writer's cache.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let checkpoint = Checkpoint(text: bytes) {
        guard Array(checkpoint.text.utf8) == bytes else { fatalError("two texts are one checkpoint") }
        guard checkpoint.logID.utf8.count == 32 else { fatalError("a log has no id") }
    }
    if let state = LogState(text: bytes), let again = LogState(text: Array(state.text.utf8)) {
        guard again.tree.root == state.tree.root, again.tree.size == state.tree.size else { fatalError("two trees") }
        var tree = state.tree
        tree.append(line: bytes)
    }
    if let history = try? CheckpointHistoryEnds(
        size: count,
        read: { offset, length in
            Array(bytes.dropFirst(offset).prefix(length))
        })
    {
        guard history.wholeSize <= count else { fatalError("the history is longer than its file") }
    }
    if let roots = SegmentRoots(text: bytes) {
        guard roots.tree.size == roots.records, roots.damagedLine != nil || Array(roots.text.utf8) == bytes else {
            fatalError("two texts are one list of segments")
        }
    }
    if let key = CheckpointKey(text: bytes) {
        guard Array(key.text.utf8) == bytes, key.next != key else { fatalError("two texts are one key") }
    }
    if let first = FirstKey(text: bytes), FirstKey(text: Array(first.text.utf8)) != first { fatalError("two keys") }
    for line in bytes.split(separator: 0x0a) {
        guard let entry = CheckpointEntry(line: line) else { continue }
        guard entry.line.utf8.dropLast().elementsEqual(line) else { fatalError("two lines are one entry") }
    }
    return 0
}
