/* Does the steps of rows with GNUstep's NSUserDefaults: reads a request a line, prints an answer a line.
   The counterpart of Tests/Conformance/Driver; gcc builds it with libgnustep-base. */
#import "Wire.h"
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static NSString *const Missing = @"Missing";
static NSMutableDictionary *objects;
static id lastMutable;
static int notifications, watched;
static NSString *lastNotification = @"nil";
static id observed;

/* Counts what it is told. */
@interface Observer : NSObject
@end

@implementation Observer
- (void)changed:(NSNotification *)notification
{
    notifications++;
    [lastNotification release];
    lastNotification = [[NSString alloc] initWithFormat:@"{\"hasUserInfo\": %@, \"isObject\": %@}",
        [[notification userInfo] count] > 0 ? @"true" : @"false",
        [notification object] == observed ? @"true" : @"false"];
}
- (void)observeValueForKeyPath:(NSString *)path ofObject:(id)object change:(NSDictionary *)change context:(void *)c
{
    watched++;
}
@end

/* Sets and reads from many threads at once. */
@interface Worker : NSObject {
@public
    NSUserDefaults *defaults;
    NSLock *lock;
    int ended, ready;
    BOOL isRight;
}
- (void)run:(NSNumber *)number;
- (void)race:(NSString *)key;
@end

@implementation Worker
- (void)race:(NSString *)key
{
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    BOOL right;
    __sync_fetch_and_add(&ready, 1);
    while (__sync_fetch_and_add(&ready, 0) < 8) sched_yield();
    right = [defaults integerForKey:key] == 1;
    [lock lock];
    if (!right) isRight = NO;
    ended++;
    [lock unlock];
    [pool release];
}
- (void)run:(NSNumber *)number
{
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    NSString *key = [NSString stringWithFormat:@"thread%@", number];
    int round;
    BOOL right = YES;
    for (round = 0; round < 200; round++) {
        [defaults setInteger:round forKey:key];
        if ([defaults integerForKey:key] != round) right = NO;
    }
    [lock lock];
    if (!right) isRight = NO;
    ended++;
    [lock unlock];
    [pool release];
}
@end

static double Patience(void)
{
    const char *text = getenv("CONFORMANCE_PATIENCE");
    return text ? atof(text) : 3;
}

static void Pause(void)
{
    [[NSRunLoop currentRunLoop] runMode:NSDefaultRunLoopMode
                             beforeDate:[NSDate dateWithTimeIntervalSinceNow:0.01]];
    usleep(2000);
}

/* Changes whatever can be changed in a value, all the way down. */
static void Mutate(id value)
{
    if ([value isKindOfClass:[NSArray class]]) {
        NSEnumerator *elements = [[NSArray arrayWithArray:value] objectEnumerator];
        id element;
        while ((element = [elements nextObject])) Mutate(element);
        if ([value isKindOfClass:[NSMutableArray class]]) [value addObject:@"!"];
    } else if ([value isKindOfClass:[NSDictionary class]]) {
        NSEnumerator *elements = [[value allValues] objectEnumerator];
        id element;
        while ((element = [elements nextObject])) Mutate(element);
        if ([value isKindOfClass:[NSMutableDictionary class]]) [value setObject:@"!" forKey:@"!"];
    } else if ([value isKindOfClass:[NSMutableString class]]) {
        [value appendString:@"!"];
    } else if ([value isKindOfClass:[NSMutableData class]]) {
        [value appendBytes:"!" length:1];
    }
}

static NSString *Value(id value) { return [@"= " stringByAppendingString:WireDescription(value)]; }
static NSString *Truth(BOOL value) { return value ? @"= true" : @"= false"; }

/* The documents' word for the class of a value. */
static NSString *Kind(id value)
{
    NSString *names[] = {@"NSString", @"NSNumber", @"NSDate", @"NSData", @"NSArray", @"NSDictionary"};
    int i;
    for (i = 0; i < 6; i++)
        if ([value isKindOfClass:NSClassFromString(names[i])]) return Value(names[i]);
    return Value(value == nil ? @"nil" : NSStringFromClass([value class]));
}

/* Ends the step where the subject has no such member. */
static void Need(id object, NSString *selector)
{
    if (![object respondsToSelector:NSSelectorFromString(selector)])
        [NSException raise:Missing format:@"%@", selector];
}

/* The next value, nil for `nil`; behind `~` of mutable classes, and kept for `mutate`. */
static id Argument(WireReader *reader)
{
    BOOL mutable = [reader take:'~'];
    id value = [reader value:mutable];
    if (mutable) {
        [lastMutable release];
        lastMutable = [value retain];
    }
    return value == WireNothing ? nil : value;
}

/* A URL's path with `~` for the home folder. */
static id Path(NSURL *url)
{
    NSString *home = NSHomeDirectory();
    if (url == nil) return nil;
    if (![url isFileURL]) return [url absoluteString];
    return [[url path] hasPrefix:[home stringByAppendingString:@"/"]]
        ? [@"~" stringByAppendingString:[[url path] substringFromIndex:[home length]]] : [url path];
}

/* A URL of a request. */
static NSURL *URLArgument(WireReader *reader)
{
    id text = [reader value:NO];
    if (text == WireNothing) return nil;
    if ([text hasPrefix:@"~"])
        return [NSURL fileURLWithPath:[NSHomeDirectory() stringByAppendingString:[text substringFromIndex:1]]];
    if ([text hasPrefix:@"/"]) return [NSURL fileURLWithPath:text];
    return [NSURL URLWithString:text relativeToURL:[reader isAtEnd] ? nil : [NSURL URLWithString:[reader text]]];
}

/* The getters; nil for an operation that is none. */
static NSString *Read(NSString *op, WireReader *reader, id defaults)
{
    if ([op isEqual:@"object"]) return Value([defaults objectForKey:[reader text]]);
    if ([op isEqual:@"string"]) return Value([defaults stringForKey:[reader text]]);
    if ([op isEqual:@"bool"]) return Truth([defaults boolForKey:[reader text]]);
    if ([op isEqual:@"int"]) return Value([NSNumber numberWithLongLong:[defaults integerForKey:[reader text]]]);
    if ([op isEqual:@"float"]) return Value([NSNumber numberWithFloat:[defaults floatForKey:[reader text]]]);
    if ([op isEqual:@"double"]) return Value([NSNumber numberWithDouble:[defaults doubleForKey:[reader text]]]);
    if ([op isEqual:@"array"]) return Value([defaults arrayForKey:[reader text]]);
    if ([op isEqual:@"strings"]) return Value([defaults stringArrayForKey:[reader text]]);
    if ([op isEqual:@"dictionary"]) return Value([defaults dictionaryForKey:[reader text]]);
    if ([op isEqual:@"data"]) return Value([defaults dataForKey:[reader text]]);
    if ([op isEqual:@"representation"]) return Value([defaults dictionaryRepresentation]);
    if ([op isEqual:@"mutatereturned"]) {
        Mutate([defaults objectForKey:[reader text]]);
        return @"done";
    }
    if ([op hasPrefix:@"url"]) {
        NSURL *url;
        Need(defaults, @"URLForKey:");
        url = [defaults performSelector:NSSelectorFromString(@"URLForKey:") withObject:[reader text]];
        if ([op isEqual:@"url"]) return Value([url absoluteString]);
        if ([op isEqual:@"urlpath"]) return Value(Path(url));
        return url == nil ? @"= nil"
            : [NSString stringWithFormat:@"= [%@, %@]", WireDescription([url relativeString]),
                        WireDescription([[url baseURL] absoluteString])];
    }
    if ([op isEqual:@"unarchived"]) {
        id data = [defaults objectForKey:[reader text]];
        id url = [data isKindOfClass:[NSData class]] ? [NSKeyedUnarchiver unarchiveObjectWithData:data] : nil;
        return Value([url isKindOfClass:[NSURL class]] ? [url absoluteString] : nil);
    }
    if ([op isEqual:@"forced"]) Need(defaults, @"objectIsForcedForKey:");
    if ([op isEqual:@"forcedin"]) Need(defaults, @"objectIsForcedForKey:inDomain:");
    return nil;
}

/* The setters; nil for an operation that is none. */
static NSString *Write(NSString *op, WireReader *reader, id defaults)
{
    NSString *key;
    if ([op isEqual:@"register"]) {
        [defaults registerDefaults:Argument(reader)];
        return @"done";
    }
    if (![op hasPrefix:@"set"] && ![op isEqual:@"remove"]) return nil;
    if ([op isEqual:@"setpersistent"] || [op isEqual:@"setvolatile"] || [op isEqual:@"setsearchlist"]) return nil;
    key = [reader text];
    if ([op isEqual:@"set"]) [defaults setObject:Argument(reader) forKey:key];
    else if ([op isEqual:@"setagain"]) [defaults setObject:lastMutable forKey:key];
    else if ([op isEqual:@"setbool"]) [defaults setBool:[[reader value:NO] boolValue] forKey:key];
    else if ([op isEqual:@"setint"]) [defaults setInteger:[[reader value:NO] longLongValue] forKey:key];
    else if ([op isEqual:@"setfloat"]) [defaults setFloat:[[reader value:NO] floatValue] forKey:key];
    else if ([op isEqual:@"setdouble"]) [defaults setDouble:[[reader value:NO] doubleValue] forKey:key];
    else if ([op isEqual:@"remove"]) [defaults removeObjectForKey:key];
    else if ([op isEqual:@"setarchive"])
        [defaults setObject:[NSKeyedArchiver archivedDataWithRootObject:URLArgument(reader)] forKey:key];
    else if ([op isEqual:@"seturl"]) Need(defaults, @"setURL:forKey:");
    else return nil;
    return @"done";
}

/* Domains, suites and the search list; nil for an operation that is none. */
static NSString *Domains(NSString *op, WireReader *reader, id defaults)
{
    if ([op isEqual:@"persistent"]) return Value([defaults persistentDomainForName:[reader text]]);
    if ([op isEqual:@"persistentnames"]) return Value([defaults persistentDomainNames]);
    if ([op isEqual:@"volatile"]) return Value([defaults volatileDomainForName:[reader text]]);
    if ([op isEqual:@"volatilenames"]) return Value([defaults volatileDomainNames]);
    if ([op isEqual:@"searchlist"]) return Value([defaults searchList]);
    if ([op isEqual:@"synchronize"]) return Truth([(NSUserDefaults *)defaults synchronize]);
    if ([op isEqual:@"setpersistent"]) {
        NSString *name = [reader text];
        [defaults setPersistentDomain:Argument(reader) forName:name];
    } else if ([op isEqual:@"setvolatile"]) {
        NSString *name = [reader text];
        [defaults setVolatileDomain:Argument(reader) forName:name];
    } else if ([op isEqual:@"removepersistent"]) [defaults removePersistentDomainForName:[reader text]];
    else if ([op isEqual:@"removevolatile"]) [defaults removeVolatileDomainForName:[reader text]];
    else if ([op isEqual:@"addsuite"]) [defaults addSuiteNamed:[reader text]];
    else if ([op isEqual:@"removesuite"]) [defaults removeSuiteNamed:[reader text]];
    else if ([op isEqual:@"setsearchlist"]) [defaults setSearchList:Argument(reader)];
    else return nil;
    return @"done";
}

/* Notifications and threads; nil for an operation that is none. */
static NSString *Others(NSString *op, WireReader *reader, id defaults)
{
    if ([op isEqual:@"observe"]) {
        observed = defaults;
        [[NSNotificationCenter defaultCenter] addObserver:[[Observer alloc] init] selector:@selector(changed:)
                                                     name:NSUserDefaultsDidChangeNotification object:nil];
        return @"done";
    }
    if ([op isEqual:@"watch"]) {
        [defaults addObserver:[[Observer alloc] init] forKeyPath:[reader text] options:0 context:NULL];
        return @"done";
    }
    if ([op isEqual:@"notifications"] || [op isEqual:@"watched"]) {
        int *count = [op isEqual:@"watched"] ? &watched : &notifications;
        int expected = [[reader value:NO] intValue];
        NSDate *end = [NSDate dateWithTimeIntervalSinceNow:Patience()];
        while (*count < expected && [end timeIntervalSinceNow] > 0) Pause();
        return [NSString stringWithFormat:@"= %d", *count];
    }
    if ([op isEqual:@"lastnotification"]) return [@"= " stringByAppendingString:lastNotification];
    if ([op isEqual:@"issame"])
        return Truth([NSUserDefaults standardUserDefaults] == [NSUserDefaults standardUserDefaults]);
    if ([op isEqual:@"hammer"] || [op isEqual:@"race"]) {
        id key = [op isEqual:@"race"] ? [reader text] : nil;
        Worker *worker = [[Worker alloc] init];
        int i, ended = 0;
        worker->defaults = defaults;
        worker->lock = [[NSLock alloc] init];
        worker->isRight = YES;
        for (i = 0; i < 8; i++)
            [NSThread detachNewThreadSelector:key ? @selector(race:) : @selector(run:) toTarget:worker
                                   withObject:key ? key : [NSNumber numberWithInt:i]];
        while (ended < 8) {
            usleep(1000);
            [worker->lock lock];
            ended = worker->ended;
            [worker->lock unlock];
        }
        return Truth(worker->isRight);
    }
    return nil;
}

static NSString *Reply(NSString *line)
{
    WireReader *reader = [[[WireReader alloc] initWithLine:line] autorelease];
    NSString *op = [reader word], *name = @"standard", *answer;
    id defaults;
    if ([op hasPrefix:@"@"]) {
        name = [op substringFromIndex:1];
        op = [reader word];
    }
    if ([op isEqual:@"pause"]) {
        Pause();
        return @"done";
    }
    if ([op isEqual:@"mutate"]) {
        Mutate(lastMutable);
        return @"done";
    }
    if ([op isEqual:@"reset"]) {
        [NSUserDefaults resetStandardUserDefaults];
        return @"done";
    }
    if ([op isEqual:@"new"]) {
        NSString *made = [reader word], *kind = [reader word];
        id object = [NSUserDefaults alloc];
        if ([kind isEqual:@"suite"]) {
            Need(object, @"initWithSuiteName:");
            object = nil;
        } else object = [kind isEqual:@"user"] ? [object initWithUser:[reader text]] : [object init];
        if (object == nil) return @"= nil";
        [objects setObject:object forKey:made];
        return @"done";
    }
    defaults = [name isEqual:@"standard"] ? [NSUserDefaults standardUserDefaults] : [objects objectForKey:name];
    if (defaults == nil) return [@"failed There is no object " stringByAppendingString:name];
    if ([op isEqual:@"kind"]) {
        [reader word];
        return Kind([defaults objectForKey:[reader text]]);
    }
    if ((answer = Read(op, reader, defaults)) || (answer = Write(op, reader, defaults))
        || (answer = Domains(op, reader, defaults)) || (answer = Others(op, reader, defaults))) return answer;
    return [NSString stringWithFormat:@"failed %@ is no operation.", op];
}

int main(int count, char **words)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    /* A subject that hangs in a loop ends by itself, so that it costs its row only. */
    struct rlimit limit = {20, 20};
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    setrlimit(RLIMIT_CPU, &limit);
    objects = [[NSMutableDictionary alloc] init];
    while ((length = getline(&line, &size, stdin)) > 0) {
        NSAutoreleasePool *inner = [NSAutoreleasePool new];
        NSString *answer;
        if (line[length - 1] == '\n') line[length - 1] = 0;
        @try {
            answer = Reply([NSString stringWithUTF8String:line]);
        } @catch (NSException *exception) {
            answer = [NSString stringWithFormat:@"%@ %@",
                [[exception name] isEqual:Missing] ? @"missing"
                    : [[exception name] isEqual:@"WireMistake"] ? @"failed" : @"raised", [exception reason]];
        }
        answer = [[answer componentsSeparatedByString:@"\n"] componentsJoinedByString:@" "];
        printf("%s\n", [answer UTF8String]);
        fflush(stdout);
        [inner release];
    }
    [pool release];
    return 0;
}
