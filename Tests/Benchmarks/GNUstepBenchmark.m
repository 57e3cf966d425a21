// Times NSUserDefaults of GNUstep: prints a line "name nanoseconds" for each operation, the median of the rounds.
//
//   GNUstepBenchmark            in memory: reads, changes
//   GNUstepBenchmark KEYS       saving one changed key of a domain of so many keys
//   GNUstepBenchmark cold KEYS  the first read of this process, of the domain that the line above left
#import <Foundation/Foundation.h>
#include <time.h>

/// Nanoseconds of a clock that never goes back.
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

/// Orders two figures.
static int compare(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return difference < 0 ? -1 : difference > 0;
}

/// Times some calls of a block of code and prints the median of the rounds.
#define MEASURE(name, rounds, calls, code)                                       \
    do {                                                                         \
        double times[rounds];                                                    \
        for (int round = 0; round < rounds; round++) {                           \
            NSAutoreleasePool *inner = [NSAutoreleasePool new];                  \
            double start = now();                                                \
            for (int call = 0; call < calls; call++) { code; }                   \
            times[round] = (now() - start) / calls;                              \
            [inner release];                                                     \
        }                                                                        \
        qsort(times, rounds, sizeof(double), compare);                           \
        printf("%s\t%.1f\n", name, times[rounds / 2]);                           \
    } while (0)

int main(int argc, char **argv) {
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    if (argc == 3) {
        double start = now();
        int value = [[NSUserDefaults standardUserDefaults] boolForKey:@"Key7"];
        printf("cold-%s\t%.1f\n", argv[2], now() - start);
        return value ? 0 : 1;
    }
    NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
    int keys = argc > 1 ? atoi(argv[1]) : 1000;
    for (int key = 0; key < keys; key++) {
        [defaults setBool:YES forKey:[NSString stringWithFormat:@"Key%d", key]];
    }
    [defaults setInteger:7 forKey:@"Number7"];
    [defaults setObject:@"a text of thirty-four bytes, flat!" forKey:@"Text"];
    if (![defaults synchronize] || ![defaults boolForKey:@"Key5"]) { return 1; }
    int number = 0;
    if (argc > 1) {
        char name[64];
        snprintf(name, sizeof name, "save-%s", argv[1]);
        MEASURE(name, 15, 1, [defaults setInteger:++number forKey:@"Number7"]; [defaults synchronize]);
        [pool release];
        return 0;
    }
    MEASURE("hit", 15, 20000, [defaults boolForKey:@"Key500"]);
    MEASURE("miss", 15, 20000, [defaults boolForKey:@"NoSuchKey"]);
    MEASURE("integer", 15, 20000, [defaults integerForKey:@"Number7"]);
    MEASURE("string", 15, 20000, [defaults stringForKey:@"Text"]);
    MEASURE("set", 15, 5000, [defaults setInteger:++number forKey:@"Number7"]);
    MEASURE("set then read", 15, 2000, [defaults setInteger:++number forKey:@"Number7"]; [defaults integerForKey:@"Number6"]);
    NSMutableDictionary *registered = [NSMutableDictionary dictionary];
    for (int key = 0; key < 1000; key++) {
        [registered setObject:[NSNumber numberWithInt:key] forKey:[NSString stringWithFormat:@"Registered%d", key]];
    }
    MEASURE("register", 15, 5, [defaults registerDefaults:registered]);
    MEASURE("representation", 15, 5, [defaults setInteger:++number forKey:@"Number7"]; [defaults dictionaryRepresentation]);
    [pool release];
    return 0;
}
