/* Forced values in programs of GNUstep that cannot be changed: a bundle, which programs with windows load by
 * GSAppKitUserBundles, and any other program of GNUstep by LD_PRELOAD.
 *
 * - Forced values are in GSPrimaryDomain, which GNUstep searches first, before the command line. A key that is forced to
 *   have no value answers with what the program registered.
 * - A program sees a change when it asks next. If its run loop runs, NSUserDefaultsDidChangeNotification is posted at once.
 * - What a program sets under a forced key is not stored and goes to the audit log, by the C interface alone.
 *
 * The domain is the one that the program's file gives, never argv[0]; the identifier of its bundle is searched too.
 */
#import <Foundation/Foundation.h>
#include <managed-defaults.h>
#include <objc/runtime.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static NSString *const Primary = @"GSPrimaryDomain";

/* Guards what follows; nothing of GNUstep's defaults is called while it is held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* The program's own defaults, once they are known; only compared. */
static NSUserDefaults *standard;
/* Never closed: the library stays until the process ends. */
static mdefaults *handle;
static mdefaults_watch *watch;
/* The forced values, and the number of the reading that they come from. */
static NSDictionary *forced;
static unsigned long reading;

static id (*readObject)(id, SEL, NSString *);
static void (*storeObject)(id, SEL, id, NSString *);

/* What JSON has in the form of the C interface, as a property list. */
static id propertyListOf(id json) {
    if ([json isKindOfClass: [NSArray class]]) {
        NSMutableArray *result = [NSMutableArray array];
        for (id element in json) [result addObject: propertyListOf(element)];
        return result;
    }
    if (![json isKindOfClass: [NSDictionary class]]) return json;
    id special;
    if ([json count] == 1) {
        if ((special = [json objectForKey: @"$data"]))
            return [[[NSData alloc] initWithBase64EncodedString: special options: 0] autorelease];
        if ((special = [json objectForKey: @"$real"])) return [NSNumber numberWithDouble: [special doubleValue]];
        if ((special = [json objectForKey: @"$date"])) {
            if ([special isKindOfClass: [NSNumber class]])
                return [NSDate dateWithTimeIntervalSinceReferenceDate: [special doubleValue]];
            NSDate *date = [NSCalendarDate dateWithString: [special stringByAppendingString: @" +0000"]
                                           calendarFormat: @"%Y-%m-%dT%H:%M:%SZ %z"];
            /* Without the zone and the format of its text. */
            return [NSDate dateWithTimeIntervalSinceReferenceDate: [date timeIntervalSinceReferenceDate]];
        }
        if ((special = [json objectForKey: @"$dict"])) json = special;
    }
    NSMutableDictionary *result = [NSMutableDictionary dictionary];
    for (NSString *key in json) [result setObject: propertyListOf([json objectForKey: key]) forKey: key];
    return result;
}

/* A property list in the form of the C interface. */
static id jsonOf(id value) {
    if ([value isKindOfClass: [NSArray class]]) {
        NSMutableArray *result = [NSMutableArray array];
        for (id element in value) [result addObject: jsonOf(element)];
        return result;
    }
    if ([value isKindOfClass: [NSDictionary class]]) {
        NSMutableDictionary *result = [NSMutableDictionary dictionary];
        for (id key in value) [result setObject: jsonOf([value objectForKey: key]) forKey: [key description]];
        return result;
    }
    if ([value isKindOfClass: [NSDate class]])
        return [NSDictionary dictionaryWithObject: [NSNumber numberWithDouble: [value timeIntervalSinceReferenceDate]]
                                           forKey: @"$date"];
    if ([value isKindOfClass: [NSData class]])
        return [NSDictionary dictionaryWithObject: [value base64EncodedStringWithOptions: 0] forKey: @"$data"];
    return value;
}

/* The value that a lookup of the library finds; nil without one. */
static id valueOf(const char *key) {
    bool flag;
    int64_t whole;
    double real;
    char *text;
    uint8_t *bytes;
    size_t length;
    id value = nil;
    switch (mdefaults_get_type(handle, key)) {
    case MDEFAULTS_BOOLEAN:
        return mdefaults_get_bool(handle, key, &flag) == MDEFAULTS_OK ? [NSNumber numberWithBool: flag] : nil;
    case MDEFAULTS_INTEGER:
        return mdefaults_get_integer(handle, key, &whole) == MDEFAULTS_OK ? [NSNumber numberWithLongLong: whole] : nil;
    case MDEFAULTS_REAL:
        return mdefaults_get_real(handle, key, &real) == MDEFAULTS_OK ? [NSNumber numberWithDouble: real] : nil;
    case MDEFAULTS_DATE:
        return mdefaults_get_date(handle, key, &real) == MDEFAULTS_OK
            ? [NSDate dateWithTimeIntervalSince1970: real] : nil;
    case MDEFAULTS_STRING:
        if (mdefaults_get_string(handle, key, &text, &length) != MDEFAULTS_OK) return nil;
        value = [[NSString alloc] initWithBytes: text length: length encoding: NSUTF8StringEncoding];
        mdefaults_free(text);
        return [value autorelease];
    case MDEFAULTS_DATA:
        if (mdefaults_get_data(handle, key, &bytes, &length) != MDEFAULTS_OK) return nil;
        value = [NSData dataWithBytes: bytes length: length];
        mdefaults_free(bytes);
        return value;
    case MDEFAULTS_ARRAY:
    case MDEFAULTS_DICTIONARY:
        if (mdefaults_get_json(handle, key, &text) != MDEFAULTS_OK) return nil;
        value = [NSJSONSerialization JSONObjectWithData: [NSData dataWithBytes: text length: strlen(text)]
                                                options: 0 error: NULL];
        mdefaults_free(text);
        return propertyListOf(value);
    default: return nil;
    }
}

/* Reads which keys are forced, and puts their values first. */
static void refresh(NSUserDefaults *defaults) {
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    NSMutableDictionary *values = [NSMutableDictionary dictionary];
    pthread_mutex_lock(&lock);
    unsigned long number = ++reading;
    pthread_mutex_unlock(&lock);
    const char **keys;
    if (mdefaults_keys(handle, &keys, NULL) == MDEFAULTS_OK) {
        for (const char **key = keys; *key; key++) {
            id value = mdefaults_is_forced(handle, *key) ? valueOf(*key) : nil;
            if (value) [values setObject: value forKey: [NSString stringWithUTF8String: *key]];
        }
        mdefaults_free(keys);
    }
    pthread_mutex_lock(&lock);
    NSArray *before = [forced allKeys];
    BOOL isNewest = number == reading;
    if (isNewest) {
        [forced autorelease];
        forced = [values copy];
    }
    pthread_mutex_unlock(&lock);
    if (isNewest) {
        /* GNUstep has a value of its own there, the languages. */
        NSMutableDictionary *primary = [NSMutableDictionary dictionaryWithDictionary:
            [defaults volatileDomainForName: Primary]];
        if (before) [primary removeObjectsForKeys: before];
        [primary addEntriesFromDictionary: values];
        [defaults removeVolatileDomainForName: Primary];
        [defaults setVolatileDomain: primary forName: Primary];
    }
    [pool release];
}

/* Reads again if something has changed. */
static BOOL follow(NSUserDefaults *defaults) {
    BOOL isChanged = NO;
    char *key;
    while (mdefaults_watch_next(watch, &key) == MDEFAULTS_OK) {
        mdefaults_free(key);
        isChanged = YES;
    }
    if (isChanged) refresh(defaults);
    return isChanged;
}

/* Follows changes while the program does nothing. */
@interface ManagedDefaultsBundle : NSObject
@end

static id readForced(NSUserDefaults *self, SEL selector, NSString *key);
static void storeFree(NSUserDefaults *self, SEL selector, id value, NSString *key);

@implementation ManagedDefaultsBundle

/* Before the program begins, or when it loads the bundle: nothing of GNUstep is called yet. */
+ (void)load {
    Class defaults = objc_getClass("NSUserDefaults");
    Method reading = class_getInstanceMethod(defaults, @selector(objectForKey:));
    Method storing = class_getInstanceMethod(defaults, @selector(setObject:forKey:));
    if (!reading || !storing) return;
    readObject = (id(*)(id, SEL, NSString *))method_setImplementation(reading, (IMP)readForced);
    storeObject = (void (*)(id, SEL, id, NSString *))method_setImplementation(storing, (IMP)storeFree);
}

+ (void)receivedEvent:(void *)data type:(RunLoopEventType)type extra:(void *)extra forMode:(NSString *)mode {
    (void)data, (void)type, (void)extra, (void)mode;
    if (follow(standard))
        [[NSNotificationCenter defaultCenter] postNotificationName: NSUserDefaultsDidChangeNotification object: standard];
}

/* Waits for changes where the main run loop waits. */
+ (void)attach {
    void *descriptor = (void *)(intptr_t)mdefaults_watch_descriptor(watch);
    for (NSString *mode in [NSArray arrayWithObjects: NSDefaultRunLoopMode, @"NSModalPanelRunLoopMode",
                                                      @"NSEventTrackingRunLoopMode", nil])
        [[NSRunLoop currentRunLoop] addEvent: descriptor type: ET_RDESC watcher: (id)self forMode: mode];
}

@end

/* Whether these are the program's own defaults, the only ones that search GSPrimaryDomain; opens the library when they are
 * first asked. */
static BOOL isOwn(NSUserDefaults *defaults) {
    if (defaults == standard) return YES;
    /* GNUstep is not ready yet, or asks while it is being asked here. */
    static __thread BOOL isAsking;
    if (isAsking) return NO;
    isAsking = YES;
    BOOL isNew = [[defaults searchList] containsObject: Primary] && [NSUserDefaults standardUserDefaults] == defaults;
    if (isNew) {
        pthread_mutex_lock(&lock);
        if (!handle) {
            handle = mdefaults_open(NULL, NULL);
            watch = mdefaults_watch_open(handle, NULL);
        }
        pthread_mutex_unlock(&lock);
        NSString *identifier = [[[NSBundle mainBundle] infoDictionary] objectForKey: @"CFBundleIdentifier"];
        if ([identifier isKindOfClass: [NSString class]]) mdefaults_add_suite(handle, [identifier UTF8String]);
        refresh(defaults);
        standard = defaults;
        if ([NSThread isMainThread]) [ManagedDefaultsBundle attach];
        else [ManagedDefaultsBundle performSelectorOnMainThread: @selector(attach) withObject: nil waitUntilDone: NO];
    }
    isAsking = NO;
    return isNew;
}

static id readForced(NSUserDefaults *self, SEL selector, NSString *key) {
    if (!isOwn(self) || ![key isKindOfClass: [NSString class]]) return readObject(self, selector, key);
    follow(self);
    pthread_mutex_lock(&lock);
    id value = [[forced objectForKey: key] retain];
    pthread_mutex_unlock(&lock);
    if (value) return [value autorelease];
    if (mdefaults_is_forced(handle, [key UTF8String]))
        return [[self volatileDomainForName: NSRegistrationDomain] objectForKey: key];
    return readObject(self, selector, key);
}

static void storeFree(NSUserDefaults *self, SEL selector, id value, NSString *key) {
    if (value && isOwn(self) && [key isKindOfClass: [NSString class]]) {
        const char *name = [key UTF8String];
        if (mdefaults_is_forced(handle, name)) {
            mdefaults_outcome outcome = MDEFAULTS_REFUSED;
            NSArray *wrapped = [NSArray arrayWithObject: jsonOf(value)];
            if ([NSJSONSerialization isValidJSONObject: wrapped]) {
                NSData *json = [NSJSONSerialization dataWithJSONObject: wrapped options: 0 error: NULL];
                NSString *text = [[[NSString alloc] initWithData: json encoding: NSUTF8StringEncoding] autorelease];
                text = [text stringByTrimmingCharactersInSet: [NSCharacterSet whitespaceAndNewlineCharacterSet]];
                text = [text substringWithRange: NSMakeRange(1, [text length] - 2)];
                outcome = mdefaults_set_json(handle, name, [text UTF8String], NULL);
            }
            if (outcome != MDEFAULTS_SHADOWED) return;
        }
    }
    storeObject(self, selector, value, key);
}
