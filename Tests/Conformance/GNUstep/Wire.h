/* Values as rows and drivers write them: see Tests/Conformance/Table/Wire/Wire.swift. */
#import <Foundation/Foundation.h>

/* Stands for `nil` where Objective-C collections cannot hold it. */
extern id WireNothing;

/* Reads words and values from one line. */
@interface WireReader : NSObject {
    NSString *_text;
    NSUInteger _index;
}
- (id)initWithLine:(NSString *)line;
- (BOOL)isAtEnd;
/* Takes a character where it is the next one that is no blank. */
- (BOOL)take:(unichar)character;
- (NSString *)word;
/* The next value; WireNothing for `nil`. Mutable classes all the way down where asked. Raises on anything else. */
- (id)value:(BOOL)mutable;
- (NSString *)text;
@end

/* A value as one line. */
NSString *WireDescription(id value);
