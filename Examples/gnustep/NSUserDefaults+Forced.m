#import "NSUserDefaults+Forced.h"
#include <managed-defaults.h>
#include <stdlib.h>

/* The handle of a domain; opened once and kept, because each handle watches policy. */
static mdefaults *handleOf(NSString *domain) {
    static NSMutableDictionary *handles;
    static NSLock *lock;
    @synchronized([NSUserDefaults class]) {
        if (!lock) {
            lock = [NSLock new];
            handles = [NSMutableDictionary new];
        }
    }
    [lock lock];
    NSValue *known = [handles objectForKey: domain];
    mdefaults *handle = [known pointerValue];
    if (!known) {
        /* Tests and dry runs work on a machine in a folder. */
        const char *root = getenv("MANAGED_DEFAULTS_EXAMPLE_ROOT");
        const char *user = getenv("MANAGED_DEFAULTS_EXAMPLE_USER");
        handle = root ? mdefaults_open_root(root, user, [domain UTF8String], NULL)
                      : mdefaults_open([domain UTF8String], NULL);
        [handles setObject: [NSValue valueWithPointer: handle] forKey: domain];
    }
    [lock unlock];
    return handle;
}

/* The domain of this application. */
static NSString *ownDomain(void) {
    NSString *identifier = [[[NSBundle mainBundle] infoDictionary] objectForKey: @"CFBundleIdentifier"];
    return identifier ? identifier : [[NSProcessInfo processInfo] processName];
}

@implementation NSUserDefaults (ManagedDefaultsForced)

- (BOOL)objectIsForcedForKey:(NSString *)key {
    return [self objectIsForcedForKey: key inDomain: ownDomain()];
}

- (BOOL)objectIsForcedForKey:(NSString *)key inDomain:(NSString *)domain {
    /* A handle that could not be opened counts as forced, as everything does that cannot be told. */
    return mdefaults_is_forced(handleOf(domain), [key UTF8String]) ? YES : NO;
}

- (id)forcedObjectForKey:(NSString *)key {
    mdefaults *handle = handleOf(ownDomain());
    const char *name = [key UTF8String];
    char *text;
    if (!mdefaults_is_forced(handle, name) || mdefaults_get_json(handle, name, &text) != MDEFAULTS_OK) return nil;
    /* In an array, because a reader of JSON may want one. */
    NSString *json = [NSString stringWithFormat: @"[%s]", text];
    mdefaults_free(text);
    NSData *data = [NSData dataWithBytes: [json UTF8String] length: strlen([json UTF8String])];
    NSArray *values = [NSJSONSerialization JSONObjectWithData: data options: 0 error: NULL];
    return [values lastObject];
}

@end
