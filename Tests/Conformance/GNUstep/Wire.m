#import "Wire.h"

static NSString *const WireMistake = @"WireMistake";
id WireNothing = nil;

static BOOL IsBlank(unichar c) { return c == ' ' || c == '\t'; }

@implementation WireReader

+ (void)initialize
{
    if (WireNothing == nil) WireNothing = [[NSObject alloc] init];
}

- (id)initWithLine:(NSString *)line
{
    if ((self = [super init])) _text = [line copy];
    return self;
}

- (void)dealloc
{
    [_text release];
    [super dealloc];
}

- (void)skip
{
    while (_index < [_text length] && IsBlank([_text characterAtIndex:_index])) _index++;
}

- (BOOL)isAtEnd
{
    [self skip];
    return _index >= [_text length];
}

- (BOOL)take:(unichar)character
{
    if ([self isAtEnd] || [_text characterAtIndex:_index] != character) return NO;
    _index++;
    return YES;
}

- (NSString *)word
{
    NSMutableString *result = [NSMutableString string];
    [self skip];
    while (_index < [_text length] && !IsBlank([_text characterAtIndex:_index])) {
        [result appendFormat:@"%C", [_text characterAtIndex:_index++]];
    }
    if ([result length] == 0) [NSException raise:WireMistake format:@"A word is missing."];
    return result;
}

/* Everything up to a blank or a mark between values. */
- (NSString *)bare
{
    NSUInteger start = _index;
    NSCharacterSet *marks = [NSCharacterSet characterSetWithCharactersInString:@" \t,]}:"];
    while (_index < [_text length] && ![marks characterIsMember:[_text characterAtIndex:_index]]) _index++;
    return [_text substringWithRange:NSMakeRange(start, _index - start)];
}

- (NSString *)quoted
{
    /* UTF-16 units, because half of a pair is no string. */
    NSMutableData *units = [NSMutableData data];
    _index++;
    while (_index < [_text length]) {
        unichar c = [_text characterAtIndex:_index++];
        if (c == '"') return [NSString stringWithCharacters:[units bytes] length:[units length] / sizeof(unichar)];
        if (c == '\\' && _index < [_text length]) {
            c = [_text characterAtIndex:_index++];
            if (c == 'n') c = '\n';
            else if (c == 't') c = '\t';
            else if (c == 'r') c = '\r';
            else if (c == 'u') {
                c = (unichar)strtol([[_text substringWithRange:NSMakeRange(_index, 4)] UTF8String], NULL, 16);
                _index += 4;
            }
        }
        [units appendBytes:&c length:sizeof c];
    }
    [NSException raise:WireMistake format:@"A quotation mark is missing."];
    return nil;
}

- (NSData *)bytes
{
    NSMutableData *result = [NSMutableData data];
    _index++;
    while (_index < [_text length] && [_text characterAtIndex:_index] != '>') {
        unsigned char byte = strtol([[_text substringWithRange:NSMakeRange(_index, 2)] UTF8String], NULL, 16);
        [result appendBytes:&byte length:1];
        _index += 2;
    }
    _index++;
    return result;
}

- (id)scalar:(NSString *)word
{
    const char *text = [word UTF8String];
    char *end = NULL;
    if ([word isEqual:@"nil"]) return WireNothing;
    if ([word isEqual:@"true"]) return [NSNumber numberWithBool:YES];
    if ([word isEqual:@"false"]) return [NSNumber numberWithBool:NO];
    if ([word isEqual:@"nan"] || [word hasSuffix:@"inf"]) return [NSNumber numberWithDouble:strtod(text, NULL)];
    if ([word rangeOfCharacterFromSet:[NSCharacterSet characterSetWithCharactersInString:@".e"]].location
        != NSNotFound) {
        double number = strtod(text, &end);
        if (*end == 0) return [NSNumber numberWithDouble:number];
    } else if (text[0] == '-') {
        long long number = strtoll(text, &end, 10);
        if (*end == 0) return [NSNumber numberWithLongLong:number];
    } else {
        unsigned long long number = strtoull(text, &end, 10);
        if (*end == 0 && number <= LLONG_MAX) return [NSNumber numberWithLongLong:(long long)number];
        if (*end == 0) return [NSNumber numberWithUnsignedLongLong:number];
    }
    [NSException raise:WireMistake format:@"%@ is no value.", word];
    return nil;
}

- (id)value:(BOOL)mutable
{
    [self skip];
    if ([self isAtEnd]) [NSException raise:WireMistake format:@"A value is missing."];
    switch ([_text characterAtIndex:_index]) {
    case '"': {
        NSString *text = [self quoted];
        return mutable ? [NSMutableString stringWithString:text] : [[text copy] autorelease];
    }
    case '<': {
        NSData *data = [self bytes];
        return mutable ? data : [NSData dataWithData:data];
    }
    case '@':
        _index++;
        return [NSDate dateWithTimeIntervalSinceReferenceDate:strtod([[self bare] UTF8String], NULL)];
    case '?':
        _index++;
        return [[self bare] isEqual:@"null"] ? (id)[NSNull null] : [[[NSObject alloc] init] autorelease];
    case '[': {
        NSMutableArray *result = [NSMutableArray array];
        _index++;
        while (![self take:']']) {
            [self take:','];
            [result addObject:[self value:mutable]];
        }
        return mutable ? result : [NSArray arrayWithArray:result];
    }
    case '{': {
        NSMutableDictionary *result = [NSMutableDictionary dictionary];
        _index++;
        while (![self take:'}']) {
            NSString *key;
            [self take:','];
            key = [self value:NO];
            [self take:':'];
            [result setObject:[self value:mutable] forKey:key];
        }
        return mutable ? result : [NSDictionary dictionaryWithDictionary:result];
    }
    default: return [self scalar:[self bare]];
    }
}

- (NSString *)text
{
    return [self value:NO];
}

@end

static NSString *Quoted(NSString *text)
{
    NSMutableString *result = [NSMutableString stringWithString:@"\""];
    NSUInteger i, start = 0;
    for (i = 0; i < [text length]; i++) {
        unichar c = [text characterAtIndex:i];
        BOOL isMark = c == '"' || c == '\\';
        if (!isMark && c >= 0x20 && c != 0x7f) continue;
        [result appendString:[text substringWithRange:NSMakeRange(start, i - start)]];
        [result appendFormat:isMark ? @"\\%c" : @"\\u%04x", (int)c];
        start = i + 1;
    }
    [result appendString:[text substringFromIndex:start]];
    [result appendString:@"\""];
    return result;
}

static NSString *Number(double value)
{
    NSString *text;
    if (value != value) return @"nan";
    if (value - value != 0) return value < 0 ? @"-inf" : @"inf";
    text = [NSString stringWithUTF8String:[[NSString stringWithFormat:@"%.17g", value] UTF8String]];
    return [text rangeOfCharacterFromSet:[NSCharacterSet characterSetWithCharactersInString:@".e"]].location
            == NSNotFound ? [text stringByAppendingString:@".0"] : text;
}

NSString *WireDescription(id value)
{
    NSMutableArray *parts = [NSMutableArray array];
    if (value == nil || value == WireNothing) return @"nil";
    if ([value isKindOfClass:[NSString class]]) return Quoted(value);
    if ([value isKindOfClass:[NSDate class]])
        return [@"@" stringByAppendingString:Number([value timeIntervalSinceReferenceDate])];
    if ([value isKindOfClass:[NSData class]]) {
        NSMutableString *text = [NSMutableString stringWithString:@"<"];
        const unsigned char *bytes = [value bytes];
        NSUInteger i;
        for (i = 0; i < [value length]; i++) [text appendFormat:@"%02x", bytes[i]];
        [text appendString:@">"];
        return text;
    }
    if ([value isKindOfClass:[NSNumber class]]) {
        char type = [value objCType][0];
        if ([NSStringFromClass([value class]) hasSuffix:@"BoolNumber"] || type == 'B')
            return [value boolValue] ? @"true" : @"false";
        if (type == 'd' || type == 'f') return Number([value doubleValue]);
        if (type == 'Q') return [NSString stringWithFormat:@"%llu", [value unsignedLongLongValue]];
        return [NSString stringWithFormat:@"%lld", [value longLongValue]];
    }
    if ([value isKindOfClass:[NSArray class]]) {
        NSEnumerator *elements = [value objectEnumerator];
        id element;
        while ((element = [elements nextObject])) [parts addObject:WireDescription(element)];
        return [NSString stringWithFormat:@"[%@]", [parts componentsJoinedByString:@", "]];
    }
    if ([value isKindOfClass:[NSDictionary class]]) {
        NSEnumerator *keys = [[[value allKeys] sortedArrayUsingSelector:@selector(compare:)] objectEnumerator];
        id key;
        while ((key = [keys nextObject]))
            [parts addObject:[NSString stringWithFormat:@"%@: %@", Quoted([key description]),
                                       WireDescription([value objectForKey:key])]];
        return [NSString stringWithFormat:@"{%@}", [parts componentsJoinedByString:@", "]];
    }
    return [@"?" stringByAppendingString:NSStringFromClass([value class])];
}
