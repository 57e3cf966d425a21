/* NSUserDefaults of GNUstep with the questions that it lacks: whether an administrator forces a key.
 *
 * GNUstep keeps a user's settings elsewhere, so that its own values stay what they are. A program asks this category before
 * it shows a control, and takes the forced value.
 */
#import <Foundation/Foundation.h>

@interface NSUserDefaults (ManagedDefaultsForced)

/* Whether an administrator decides the value of a key of this application, as on macOS. */
- (BOOL)objectIsForcedForKey:(NSString *)key;

/* The same in another domain. */
- (BOOL)objectIsForcedForKey:(NSString *)key inDomain:(NSString *)domain;

/* The forced value; nil if the key is not forced, or is forced to have none. */
- (id)forcedObjectForKey:(NSString *)key;

@end
