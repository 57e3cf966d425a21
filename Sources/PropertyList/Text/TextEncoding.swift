/// The encodings of text files that are read.
enum TextEncoding {
    /// UTF-8, ASCII included.
    case utf8
    /// UTF-16 with a byte order mark, in either byte order.
    case utf16
}
