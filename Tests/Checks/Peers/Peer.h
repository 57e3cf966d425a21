/* Read before each test of GNUstep: what it calls NSUserDefaults is a class that asks a driver of Tests/Conformance. */
#import <Foundation/Foundation.h>
#import "ObjectTesting.h"

@interface PeerDefaults : NSObject
+ (PeerDefaults *)standardUserDefaults;
- (id)objectForKey:(NSString *)key;
- (NSString *)stringForKey:(NSString *)key;
- (NSArray *)arrayForKey:(NSString *)key;
- (BOOL)boolForKey:(NSString *)key;
- (NSInteger)integerForKey:(NSString *)key;
- (double)doubleForKey:(NSString *)key;
- (void)setObject:(id)value forKey:(NSString *)key;
- (void)setBool:(BOOL)value forKey:(NSString *)key;
- (void)setInteger:(NSInteger)value forKey:(NSString *)key;
- (void)setDouble:(double)value forKey:(NSString *)key;
- (void)removeObjectForKey:(NSString *)key;
- (void)registerDefaults:(NSDictionary *)values;
- (void)setVolatileDomain:(NSDictionary *)values forName:(NSString *)name;
- (void)removeVolatileDomainForName:(NSString *)name;
- (void)addSuiteNamed:(NSString *)name;
- (void)removeSuiteNamed:(NSString *)name;
- (NSArray *)searchList;
- (void)setSearchList:(NSArray *)names;
- (void)removeObserver:(NSObject *)observer forKeyPath:(NSString *)path context:(void *)context;
@end

#define NSUserDefaults PeerDefaults
/* About the class of GNUstep by its name. */
#define test_NSObject(name, objects)
