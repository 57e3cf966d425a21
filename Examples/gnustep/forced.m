/* forced DOMAIN KEY: asks GNUstep's NSUserDefaults, by the category beside it, whether a key is forced. */
#import "NSUserDefaults+Forced.h"
#include <stdio.h>

int main(int count, char **arguments) {
    if (count != 3) return 2;
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    BOOL isForced = [[NSUserDefaults standardUserDefaults]
        objectIsForcedForKey: [NSString stringWithUTF8String: arguments[2]]
                    inDomain: [NSString stringWithUTF8String: arguments[1]]];
    puts(isForced ? "forced" : "not forced");
    [pool release];
    return isForced ? 0 : 1;
}
