/// Managed defaults: settings of a user, with the values that an administrator forces ahead of them.
///
/// Link with `-lmanaged-defaults` (pkg-config: managed-defaults). The library needs no other runtime.
///
/// Rules that hold for every function:
///
/// - All functions may be called from every thread. None of them ends the process, whatever it is given.
/// - Texts are UTF-8 and end with NUL. A text that is NULL where one is needed, is not UTF-8, or is too long (names 64 KiB,
///   values 64 MiB) is refused: MDEFAULTS_BAD_ARGUMENT, or MDEFAULTS_INVALID of a write.
/// - A handle that was closed, or never was one, is refused likewise: handles are numbers that are never used again, not
///   addresses.
/// - The caller owns what a function returns through a parameter that is a pointer to a pointer, and frees it with one call
///   of mdefaults_free(). Where a function does not succeed it stores NULL there. Such a parameter may be NULL where the
///   function says so.
/// - Pointers that are given are not kept after the call.
#ifndef MANAGED_DEFAULTS_H
#define MANAGED_DEFAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#define MDEFAULTS_NULLABLE _Nullable
#else
#define MDEFAULTS_NULLABLE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The defaults of one application and one user.
typedef struct mdefaults mdefaults;
/// A watch for changes.
typedef struct mdefaults_watch mdefaults_watch;

/// What became of a call.
typedef enum {
    /// It succeeded.
    MDEFAULTS_OK = 0,
    /// The key has no value, is not forced, or nothing has changed.
    MDEFAULTS_NO_VALUE = 1,
    /// The value has a type that cannot be converted.
    MDEFAULTS_WRONG_TYPE = 2,
    /// An argument is not what it has to be.
    MDEFAULTS_BAD_ARGUMENT = 3,
    /// There is not enough memory.
    MDEFAULTS_NO_MEMORY = 4,
    /// A file could not be read or written; mdefaults_problem() says which.
    MDEFAULTS_FAILED = 5
} mdefaults_status;

/// What became of a write.
typedef enum {
    /// The user's settings have the value.
    MDEFAULTS_STORED = 0,
    /// The value was there already, or is the forced one.
    MDEFAULTS_UNCHANGED = 1,
    /// The key is forced: nothing was stored, and the attempt is in the audit log.
    MDEFAULTS_REFUSED = 2,
    /// The key is forced: the value was stored beneath and has no effect. The attempt is in the audit log.
    MDEFAULTS_SHADOWED = 3,
    /// The value is outside of a bound, which was stored in its place. The attempt is in the audit log.
    MDEFAULTS_CLAMPED = 4,
    /// The value is not allowed, and nothing was stored. The attempt is in the audit log.
    MDEFAULTS_DISALLOWED = 5,
    /// The arguments cannot be stored at all.
    MDEFAULTS_INVALID = 6,
    /// Nothing can be stored now; a later write may succeed.
    MDEFAULTS_UNAVAILABLE = 7,
    /// Another value is stored than mdefaults_update_json() was to replace: nothing was stored.
    MDEFAULTS_CONFLICT = 8
} mdefaults_outcome;

/// The type of a value.
typedef enum {
    MDEFAULTS_NONE = 0,
    MDEFAULTS_STRING = 1,
    MDEFAULTS_BOOLEAN = 2,
    MDEFAULTS_INTEGER = 3,
    MDEFAULTS_REAL = 4,
    MDEFAULTS_DATE = 5,
    MDEFAULTS_DATA = 6,
    MDEFAULTS_ARRAY = 7,
    MDEFAULTS_DICTIONARY = 8
} mdefaults_type;

/// The policy entry that forces a key. Texts that policy does not give are empty, never NULL. One mdefaults_free()
/// frees all of it.
typedef struct {
    /// The domain of the entry: the application's, or NSGlobalDomain.
    const char *MDEFAULTS_NULLABLE domain;
    /// The key.
    const char *MDEFAULTS_NULLABLE key;
    /// The identifier of the policy.
    const char *MDEFAULTS_NULLABLE policy;
    /// A short name of the key.
    const char *MDEFAULTS_NULLABLE title;
    /// The purpose of the policy.
    const char *MDEFAULTS_NULLABLE summary;
    /// The person or office to ask.
    const char *MDEFAULTS_NULLABLE contact;
    /// The path of the policy file.
    const char *MDEFAULTS_NULLABLE file;
    /// A sentence for the user: the title of the key, and the person or office to ask.
    const char *MDEFAULTS_NULLABLE message;
    /// The line in the file, from 1; 0 for a binary file.
    int64_t line;
} mdefaults_entry;

/// What brought the policy file that forces a key, as it is: the answer to why a control is locked. Texts that are
/// unknown are empty, never NULL. One mdefaults_free() frees all of it.
typedef struct {
    /// The person, as the audit log names him or her.
    const char *MDEFAULTS_NULLABLE by;
    /// Why, with the snapshot of a fleet or the commit of a checkout where there is one.
    const char *MDEFAULTS_NULLABLE reason;
    /// A sentence for a tooltip, in English.
    const char *MDEFAULTS_NULLABLE message;
    /// The number of the generation (`mdefaults policy history`); 0 for temporary policy, which is in none.
    int64_t generation;
    /// Since when, in seconds since 1970-01-01T00:00:00Z; 0 for temporary policy.
    double time;
    /// Whether the file was changed by hand, so that it is unknown by whom and why.
    bool is_by_hand;
} mdefaults_introduction;

/// The version of the library, as `mdefaults --version` prints it. The text is the library's.
const char *MDEFAULTS_NULLABLE mdefaults_version(void);

// Opening

/// Opens the defaults of the calling user on this machine.
///
/// `application` is the application's domain in reverse DNS notation; NULL for the one that the program's files give.
/// `problem`, which may be NULL, gets a sentence if the result is NULL: the name cannot be that of a domain. While policy
/// cannot be read the result is no NULL, every key counts as forced without a value, and nothing is stored.
mdefaults *MDEFAULTS_NULLABLE mdefaults_open(
    const char *MDEFAULTS_NULLABLE application, char *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE problem);

/// Opens the defaults of a user of a machine that is represented by a folder: for tests and dry runs.
///
/// `user` is a name of the folder's etc/passwd; NULL for the entry with the caller's uid.
mdefaults *MDEFAULTS_NULLABLE mdefaults_open_root(
    const char *MDEFAULTS_NULLABLE root, const char *MDEFAULTS_NULLABLE user,
    const char *MDEFAULTS_NULLABLE application, char *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE problem);

/// Saves what is pending, ends the watches of the handle and closes it. Anything but an open handle is ignored.
void mdefaults_close(mdefaults *MDEFAULTS_NULLABLE defaults);

/// Frees what a function returned; NULL is ignored.
void mdefaults_free(void *MDEFAULTS_NULLABLE pointer);

/// Adds a shared domain to the search list of a handle, directly behind the application's domain. Its forced entries count
/// too. MDEFAULTS_BAD_ARGUMENT if no domain can have the name.
mdefaults_status mdefaults_add_suite(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE suite);
/// Takes a shared domain out of the search list; MDEFAULTS_OK also if it was not there.
mdefaults_status mdefaults_remove_suite(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE suite);
/// Adds default values, which are searched after all other domains, for all handles of this user in this process.
///
/// `defaults_by_key` is an object in the form of mdefaults_get_json(). Nothing is stored on disk. MDEFAULTS_STORED, or
/// MDEFAULTS_INVALID if it is no such object or a key is empty; then nothing is registered, and `message`, which may be
/// NULL, gets a sentence.
mdefaults_outcome mdefaults_register_json(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE defaults_by_key,
    char *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE message);

// Reading: the first value in the order of the search list, forced values first. Numbers and Booleans are converted into
// each other and into text; a text is a number only if all of it is one, else the status is MDEFAULTS_WRONG_TYPE, as typed
// keys of Swift return their default. A forced value of a wrong type is forced all the same: set the number to your default
// before the call, and lock the control. Where the status is not MDEFAULTS_OK, numbers keep what they were.

/// Every key that has a value in any domain of the search list, sorted by its bytes.
///
/// `keys` gets an array that ends with NULL; one mdefaults_free() of it frees the texts too. `count`, which may be NULL, gets
/// the number of keys. A key that holds a NUL cannot be asked for and is left out.
mdefaults_status mdefaults_keys(
    mdefaults *MDEFAULTS_NULLABLE defaults,
    const char *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE keys, size_t *MDEFAULTS_NULLABLE count);

/// The type of the value of a key; MDEFAULTS_NONE without one, and for arguments that are refused.
mdefaults_type mdefaults_get_type(mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key);
/// Numbers other than 0 are true. A text is read if it is a number, YES, NO, true, false or their first letter.
mdefaults_status mdefaults_get_bool(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key, bool *MDEFAULTS_NULLABLE value);
/// A number that does not fit gives the nearest one.
mdefaults_status mdefaults_get_integer(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key, int64_t *MDEFAULTS_NULLABLE value);
mdefaults_status mdefaults_get_real(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key, double *MDEFAULTS_NULLABLE value);
/// The seconds since 1970-01-01T00:00:00Z.
mdefaults_status mdefaults_get_date(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key, double *MDEFAULTS_NULLABLE value);
/// `length`, which may be NULL, gets the number of bytes before the last NUL; a value may hold further ones.
mdefaults_status mdefaults_get_string(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key,
    char *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE value, size_t *MDEFAULTS_NULLABLE length);
mdefaults_status mdefaults_get_data(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key,
    uint8_t *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE value, size_t *MDEFAULTS_NULLABLE length);
/// Any value as JSON that reads back exactly: a date is {"$date":"2026-11-20T08:00:00Z"}, or {"$date":0.5} with the seconds
/// since 2001-01-01T00:00:00Z if they are not whole; data is {"$data":"base64"}; what JSON has no number for is
/// {"$real":"nan"}, "inf" or "-inf". A dictionary whose only key begins with $ is {"$dict":{…}}. Whole numbers have all digits.
mdefaults_status mdefaults_get_json(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key,
    char *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE value);

// Management

/// Whether an administrator decides the value of a key: then its control is to be locked. True also while it cannot be
/// told, and for arguments that are refused.
bool mdefaults_is_forced(mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key);
/// The same of one domain, whether it is searched or not: an application's, a suite or NSGlobalDomain.
bool mdefaults_is_forced_in_domain(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key,
    const char *MDEFAULTS_NULLABLE domain);
/// Returns the policy entry that forces a key; MDEFAULTS_NO_VALUE if the key is not forced.
mdefaults_status mdefaults_forced_by(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key,
    mdefaults_entry *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE entry);
/// Returns what brought the policy file that forces a key; MDEFAULTS_NO_VALUE if the key is not forced, or that is unknown,
/// as of a file that changed since it was recorded. Reads one small file each time: for a tooltip, not for each frame.
mdefaults_status mdefaults_introduced_by(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key,
    mdefaults_introduction *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE introduction);
/// What the user may choose, as a phrase that follows on "must be": "at most 70"; MDEFAULTS_NO_VALUE if anything.
mdefaults_status mdefaults_allowed(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key,
    char *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE phrase);
/// The same for a slider or a menu: {"allowed","minimum","maximum","oneOf","pattern","origin":{"policy","file","line",
/// "column"},"contact"}. Members that policy does not give are missing; "allowed" is the phrase.
mdefaults_status mdefaults_allowed_json(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key,
    char *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE allowed);

// Writing: in effect at once, on disk within 100 ms. `message`, which may be NULL, gets a sentence for the user if the
// write is not in effect: from MDEFAULTS_REFUSED on.

mdefaults_outcome mdefaults_set_bool(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key, bool value,
    char *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE message);
mdefaults_outcome mdefaults_set_integer(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key, int64_t value,
    char *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE message);
mdefaults_outcome mdefaults_set_real(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key, double value,
    char *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE message);
/// The seconds since 1970-01-01T00:00:00Z.
mdefaults_outcome mdefaults_set_date(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key, double value,
    char *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE message);
mdefaults_outcome mdefaults_set_string(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key, const char *MDEFAULTS_NULLABLE value,
    char *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE message);
/// `value` may be NULL if `length` is 0.
mdefaults_outcome mdefaults_set_data(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key, const uint8_t *MDEFAULTS_NULLABLE value,
    size_t length, char *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE message);
/// Any value, in the form of mdefaults_get_json().
mdefaults_outcome mdefaults_set_json(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key, const char *MDEFAULTS_NULLABLE value,
    char *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE message);
/// Removes the user's value, so that other domains answer.
mdefaults_outcome mdefaults_remove(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key,
    char *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE message);

/// Replaces the user's own value only if it still is what the caller saw: a counter, a list that grows.
///
/// `expected` is the value that is stored in the application's domain, NULL for none; `value` is the new one, NULL to remove
/// the key; both in the form of mdefaults_get_json(). Values are equal if types and contents are. No other process changes
/// the domain meanwhile, and the value is on disk when the function returns. With MDEFAULTS_CONFLICT, `stored`, which may be
/// NULL, gets the value that is stored, NULL for none: make a new value of it and try again.
mdefaults_outcome mdefaults_update_json(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key,
    const char *MDEFAULTS_NULLABLE expected, const char *MDEFAULTS_NULLABLE value,
    char *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE stored, char *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE message);

/// Saves what is pending, and reads what others have changed. Both happen without a call, too.
mdefaults_status mdefaults_synchronize(mdefaults *MDEFAULTS_NULLABLE defaults);
/// The oldest problem that no function could return: an unreadable file, for example; MDEFAULTS_NO_VALUE if there is none.
mdefaults_status mdefaults_problem(
    mdefaults *MDEFAULTS_NULLABLE defaults, char *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE sentence);

// Watching

/// Watches a key, or every key if `key` is NULL: for another value, and for being forced or free.
///
/// Returns NULL if an argument is refused or there is no descriptor left.
mdefaults_watch *MDEFAULTS_NULLABLE mdefaults_watch_open(
    mdefaults *MDEFAULTS_NULLABLE defaults, const char *MDEFAULTS_NULLABLE key);
/// The descriptor that poll(2) calls readable while there are changes; -1 for anything but an open watch.
///
/// It belongs to the watch: neither read from it nor close it.
int mdefaults_watch_descriptor(mdefaults_watch *MDEFAULTS_NULLABLE watch);
/// The next key that has changed since it was returned last; MDEFAULTS_NO_VALUE if there is none.
///
/// After more than 4,096 changed keys that were not taken, an empty text says that every key may have changed.
mdefaults_status mdefaults_watch_next(
    mdefaults_watch *MDEFAULTS_NULLABLE watch, char *MDEFAULTS_NULLABLE *MDEFAULTS_NULLABLE key);
/// Ends a watch and closes its descriptor. Anything but an open watch is ignored.
void mdefaults_watch_close(mdefaults_watch *MDEFAULTS_NULLABLE watch);

#ifdef __cplusplus
}
#endif

#endif
