#import "Peer.h"
#import "Wire.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static FILE *driver;
static long notified;

/* Asks the driver, and returns the value of its answer. */
static id ask(NSString *line) {
    if (!driver) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) exit(2);
        if (fork() == 0) {
            dup2(ends[1], 0), dup2(ends[1], 1);
            close(ends[0]), close(ends[1]);
            execl(getenv("PEER_DRIVER"), getenv("PEER_DRIVER"), NULL);
            _exit(127);
        }
        close(ends[1]);
        driver = fdopen(ends[0], "r+");
        ask(@"observe");
    }
    fprintf(driver, "%s\n", [line UTF8String]);
    fflush(driver);
    char *answer = NULL;
    size_t size = 0;
    ssize_t length = getline(&answer, &size, driver);
    if (length <= 0) {
        fprintf(stderr, "Failed test: the driver ended at %s\n", [line UTF8String]);
        exit(2);
    }
    answer[length - 1] = 0;
    NSString *text = [NSString stringWithUTF8String: answer];
    free(answer);
    if (![text hasPrefix: @"= "]) {
        if (![text hasPrefix: @"done"]) fprintf(stderr, "%s: %s\n", [line UTF8String], [text UTF8String]);
        return nil;
    }
    id value = [[[[WireReader alloc] initWithLine: [text substringFromIndex: 2]] autorelease] value: NO];
    return value == WireNothing ? nil : value;
}

static id about(NSString *operation, NSString *key) {
    return ask([NSString stringWithFormat: @"%@ %@", operation, WireDescription(key)]);
}

/* Changes something, and posts as many notifications as the driver was sent. */
static void change(NSString *line) {
    ask(line);
    long count = [ask([NSString stringWithFormat: @"notifications %ld", notified + 1]) longValue];
    for (; notified < count; notified++)
        [[NSNotificationCenter defaultCenter] postNotificationName: NSUserDefaultsDidChangeNotification object: nil];
}

static void set(NSString *operation, NSString *key, NSString *value) {
    change([NSString stringWithFormat: @"%@ %@ %@", operation, WireDescription(key), value]);
}

@implementation PeerDefaults
+ (PeerDefaults *)standardUserDefaults {
    static PeerDefaults *shared;
    if (!shared) shared = [PeerDefaults new];
    return shared;
}
- (id)objectForKey:(NSString *)key { return about(@"object", key); }
- (NSString *)stringForKey:(NSString *)key { return about(@"string", key); }
- (NSArray *)arrayForKey:(NSString *)key { return about(@"array", key); }
- (BOOL)boolForKey:(NSString *)key { return [about(@"bool", key) boolValue]; }
- (NSInteger)integerForKey:(NSString *)key { return [about(@"int", key) integerValue]; }
- (double)doubleForKey:(NSString *)key { return [about(@"double", key) doubleValue]; }
- (void)setObject:(id)value forKey:(NSString *)key { set(@"set", key, value ? WireDescription(value) : @"nil"); }
- (void)setBool:(BOOL)value forKey:(NSString *)key { set(@"setbool", key, value ? @"true" : @"false"); }
- (void)setInteger:(NSInteger)value forKey:(NSString *)key {
    set(@"setint", key, [NSString stringWithFormat: @"%ld", (long)value]);
}
- (void)setDouble:(double)value forKey:(NSString *)key {
    set(@"setdouble", key, [NSString stringWithFormat: @"%.17g", value]);
}
- (void)removeObjectForKey:(NSString *)key { set(@"remove", key, @""); }
- (void)registerDefaults:(NSDictionary *)values {
    change([@"register " stringByAppendingString: WireDescription(values)]);
}
- (void)setVolatileDomain:(NSDictionary *)values forName:(NSString *)name {
    set(@"setvolatile", name, WireDescription(values));
}
- (void)removeVolatileDomainForName:(NSString *)name { set(@"removevolatile", name, @""); }
- (void)addSuiteNamed:(NSString *)name { set(@"addsuite", name, @""); }
- (void)removeSuiteNamed:(NSString *)name { set(@"removesuite", name, @""); }
- (NSArray *)searchList { return ask(@"searchlist"); }
- (void)setSearchList:(NSArray *)names {
    change([@"setsearchlist " stringByAppendingString: WireDescription(names)]);
}
/* Objective-C's own observers have no counterpart. */
- (void)addObserver:(NSObject *)observer forKeyPath:(NSString *)path options:(NSKeyValueObservingOptions)options
            context:(void *)context {}
- (void)removeObserver:(NSObject *)observer forKeyPath:(NSString *)path context:(void *)context {}
@end
