/* A program of GNUstep that knows nothing of the library: prints what it reads, sets what it likes, and prints again.
 *
 *   probe SECONDS      waits so long for one change, in its run loop
 */
#import <Foundation/Foundation.h>
#include <stdio.h>
#include <stdlib.h>

static NSUserDefaults *defaults;
static BOOL isNotified;

@interface Observer : NSObject
@end

@implementation Observer
- (void)changed:(NSNotification *)notification { isNotified = YES; }
@end

static void show(void) {
    for (NSString *key in [@"Word Flag Whole Real Date Data List Absent Free" componentsSeparatedByString: @" "])
        printf("%s=%s ", [key UTF8String], [[[defaults objectForKey: key] description] UTF8String] ?: "-");
    printf("all:%s\n", [[[[defaults dictionaryRepresentation] objectForKey: @"Word"] description] UTF8String]);
    fflush(stdout);
}

int main(int count, char **arguments) {
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    defaults = [NSUserDefaults standardUserDefaults];
    [defaults registerDefaults: [NSDictionary dictionaryWithObject: @"registered" forKey: @"Absent"]];
    show();
    [defaults setObject: @"mine" forKey: @"Word"];
    [defaults setInteger: 9 forKey: @"Whole"];
    [defaults setBool: YES forKey: @"Flag"];
    [defaults setObject: [NSArray arrayWithObject: [NSDate date]] forKey: @"List"];
    [defaults setObject: @"free" forKey: @"Free"];
    [defaults synchronize];
    show();
    [[NSNotificationCenter defaultCenter] addObserver: [Observer new] selector: @selector(changed:)
                                                 name: NSUserDefaultsDidChangeNotification object: nil];
    double end = [NSDate timeIntervalSinceReferenceDate] + (count > 1 ? atof(arguments[1]) : 0);
    while (!isNotified && [NSDate timeIntervalSinceReferenceDate] < end)
        [[NSRunLoop currentRunLoop] runMode: NSDefaultRunLoopMode beforeDate: [NSDate dateWithTimeIntervalSinceNow: 0.1]];
    show();
    [pool release];
    return isNotified ? 0 : 1;
}
