// Asks the name services of this machine for users and groups, each service by itself.
//
//   mdefaults-names EACH ALL USERS GROUPS MEMBERS < QUESTIONS
//
// EACH and ALL are milliseconds: how long one service may take for one question, and how long everything may. USERS,
// GROUPS and MEMBERS are the services of nsswitch.conf(5) for these, with blanks between them. A question is a line:
// `u NAME`, `U UID`, `g NAME`, `G GID`, `l NAME` for a group with its members, or `m GID NAME` for the groups of a user
// whose primary group is GID.
//
// An answer is a line: the number of the question from 0 on, the service, and one of
//   found UID GID NAME HOME COMMENT    for users
//   found GID NAME [MEMBER…]           for groups
//   found GID…                         for the groups of a user, without the primary one
//   none                               the service answers that there is nothing
//   error CODE                         the service gives no answer
//   cut                                the answer is larger than the largest buffer
//   late                               the service took too long
// A later line about the same question and service replaces an earlier one; services behind the one that found a name
// are not asked. A service whose library this machine lacks gets the line `- SERVICE absent`. In texts, what is not
// printable ASCII, the blank and `%` are written `%xx`; an empty text is a dash.
//
// It is linked dynamically, because the services are libraries, and asks in a child of its own, because they can hang or
// crash. It has no privileges and needs none.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <grp.h>
#include <nss.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    input_limit = 32 << 20,
    question_limit = 200000,
    service_limit = 16,
    // A group of 60,000 members has 1.4 MB and half a million bytes of pointers.
    first_buffer = 4 << 20,
    last_buffer = 64 << 20,
    // After so many questions that a service left unanswered in time, it is not asked again.
    late_limit = 4,
};

/// The services for one kind of question.
struct services {
    int count;
    const char *names[service_limit];
    int late[service_limit];
};

struct question {
    char kind;
    const char *text;
    unsigned id;
    /// Whether a service found it.
    char found;
};

/// One service's turn with one question.
struct step {
    int question, service;
};

static struct services users, groups, members;
static struct question *questions;
static int question_count;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

static struct services *services_of(const struct question *question) {
    switch (question->kind) {
    case 'u': case 'U': return &users;
    case 'g': case 'G': case 'l': return &groups;
    default: return &members;
    }
}

/// How many questions a service left unanswered in time, of whatever kind.
static int late_count_of(const char *service) {
    int count = 0;
    for (int list = 0; list < 3; list++) {
        const struct services *services = (const struct services *[]){&users, &groups, &members}[list];
        for (int index = 0; index < services->count; index++) {
            if (!strcmp(services->names[index], service)) count += services->late[index];
        }
    }
    return count;
}

/// Appends a text to a line without blanks and control characters.
static void put(FILE *line, const char *text) {
    if (!text || !*text) {
        fputs(" -", line);
        return;
    }
    if (!strcmp(text, "-")) {
        fputs(" %2d", line);
        return;
    }
    fputc(' ', line);
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte > 0x20 && byte < 0x7f && byte != '%') fputc(byte, line);
        else fprintf(line, "%%%02x", byte);
    }
}

/// Asks a service for a user or a group; the buffer grows until the answer fits.
static void look_up(FILE *line, const struct question *question) {
    for (size_t size = first_buffer; size <= last_buffer; size *= 4) {
        char *buffer = malloc(size);
        if (!buffer) break;
        struct passwd user, *found_user = NULL;
        struct group group, *found_group = NULL;
        int code = 0;
        switch (question->kind) {
        case 'u': code = getpwnam_r(question->text, &user, buffer, size, &found_user); break;
        case 'U': code = getpwuid_r(question->id, &user, buffer, size, &found_user); break;
        case 'g': case 'l': code = getgrnam_r(question->text, &group, buffer, size, &found_group); break;
        case 'G': code = getgrgid_r(question->id, &group, buffer, size, &found_group); break;
        }
        if (code == ERANGE) {
            free(buffer);
            continue;
        }
        if (found_user) {
            fprintf(line, "found %u %u", user.pw_uid, user.pw_gid);
            put(line, user.pw_name);
            put(line, user.pw_dir);
            put(line, user.pw_gecos);
        } else if (found_group) {
            fprintf(line, "found %u", group.gr_gid);
            put(line, group.gr_name);
            for (char **name = group.gr_mem; question->kind == 'l' && *name; name++) put(line, *name);
        } else if (code == 0) {
            fputs("none", line);
        } else {
            fprintf(line, "error %d", code);
        }
        free(buffer);
        return;
    }
    fputs("cut", line);
}

/// A service's own function for the groups of a user: unlike getgrouplist(3) it tells an error from no groups.
typedef enum nss_status lister(
    const char *user, gid_t group, long *start, long *size, gid_t **list, long limit, int *code);

static void list_groups(FILE *line, const struct question *question, const char *service) {
    char name[128];
    snprintf(name, sizeof name, "libnss_%s.so.2", service);
    void *library = dlopen(name, RTLD_NOW);
    snprintf(name, sizeof name, "_nss_%s_initgroups_dyn", service);
    lister *list = library ? (lister *)dlsym(library, name) : NULL;
    long start = 0, size = 1024;
    gid_t *ids = malloc((size_t)size * sizeof *ids);
    if (!ids) {
        fprintf(line, "error %d", ENOMEM);
        return;
    }
    if (list) {
        int code = 0;
        enum nss_status status = list(question->text, question->id, &start, &size, &ids, -1, &code);
        if (status == NSS_STATUS_NOTFOUND) {
            fputs("none", line);
            return;
        }
        if (status != NSS_STATUS_SUCCESS) {
            fprintf(line, "error %d", code ? code : EIO);
            return;
        }
    } else {
        int count = (int)size;
        __nss_configure_lookup("initgroups", service);
        if (getgrouplist(question->text, question->id, ids, &count) < 0) {
            gid_t *larger = realloc(ids, (size_t)count * sizeof *ids);
            if (!larger || getgrouplist(question->text, question->id, larger, &count) < 0) {
                fputs("cut", line);
                return;
            }
            ids = larger;
        }
        start = count;
    }
    fputs("found", line);
    for (long index = 0; index < start; index++) {
        if (ids[index] != question->id) fprintf(line, " %u", ids[index]);
    }
    free(ids);
}

/// Asks one service one question, and writes the line to the parent at once.
static void ask(FILE *output, struct step step) {
    const struct question *question = &questions[step.question];
    const char *service = services_of(question)->names[step.service];
    fprintf(output, "%d %s ", step.question, service);
    // This also keeps nscd out, which would answer for all services.
    if (question->kind == 'u' || question->kind == 'U') __nss_configure_lookup("passwd", service);
    if (strchr("gGl", question->kind)) __nss_configure_lookup("group", service);
    if (question->kind == 'm') list_groups(output, question, service);
    else look_up(output, question);
    fputc('\n', output);
    fflush(output);
}

/// Moves on to the next step; false behind the last one.
static int advance(struct step *step) {
    const struct question *question = &questions[step->question];
    // A user's groups are those of all services.
    int is_done = question->found && question->kind != 'm';
    step->service++;
    while (step->question < question_count) {
        struct services *services = services_of(&questions[step->question]);
        while (!is_done && step->service < services->count) {
            if (late_count_of(services->names[step->service]) < late_limit) return 1;
            printf("%d %s late\n", step->question, services->names[step->service]);
            step->service++;
        }
        is_done = 0;
        step->question++;
        step->service = 0;
    }
    return 0;
}

/// Starts a child that asks from a step on; with `single`, only that one.
static pid_t start(struct step step, int single, int *reading) {
    int ends[2];
    if (pipe(ends) < 0) return -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        FILE *output = fdopen(ends[1], "w");
        // What it would print beside its answers, the parent prints.
        if (!output || !freopen("/dev/null", "w", stdout)) _exit(1);
        do {
            char *text = NULL;
            size_t length = 0;
            FILE *line = open_memstream(&text, &length);
            if (!line) _exit(1);
            ask(line, step);
            fclose(line);
            const char *word = strchr(strchr(text, ' ') + 1, ' ') + 1;
            questions[step.question].found |= !strncmp(word, "found", 5);
            fwrite(text, 1, length, output);
            fflush(output);
            free(text);
        } while (!single && advance(&step));
        _exit(0);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return -1;
    }
    *reading = ends[0];
    return child;
}

/// Ends a child that is not wanted any more.
static void stop(pid_t child, int reading) {
    close(reading);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/// Asks from a step on until everything is asked or the time is over; `late` gets the steps that took too long.
///
/// With `single` only one step is asked.
static void run(struct step step, int single, int each, long long end, struct step *late, int *late_count) {
    static char text[1 << 20];
    int more = 1;
    while (more) {
        int reading;
        pid_t child = start(step, single, &reading);
        if (child < 0) return;
        size_t length = 0;
        int is_over = 0;
        while (more && !is_over) {
            long long rest = end - now();
            struct pollfd event = {.fd = reading, .events = POLLIN};
            int wait = rest < each ? (int)(rest < 0 ? 0 : rest) : each;
            int ready = poll(&event, 1, wait);
            ssize_t count = ready > 0 ? read(reading, text + length, sizeof text - length) : 0;
            if (count <= 0) {
                // It hangs, or a service ended it.
                printf(
                    "%d %s %s\n", step.question, services_of(&questions[step.question])->names[step.service],
                    ready > 0 ? "error 5" : "late");
                if (ready <= 0) {
                    services_of(&questions[step.question])->late[step.service]++;
                    if (late && *late_count < question_limit) late[(*late_count)++] = step;
                }
                more = !single && now() < end && advance(&step);
                is_over = 1;
                continue;
            }
            length += (size_t)count;
            char *begin = text, *feed;
            while (more && (feed = memchr(begin, '\n', length - (size_t)(begin - text)))) {
                fwrite(begin, 1, (size_t)(feed + 1 - begin), stdout);
                *feed = 0;
                const char *word = strchr(strchr(begin, ' ') + 1, ' ') + 1;
                if (!strncmp(word, "found", 5)) questions[step.question].found = 1;
                more = !single && advance(&step);
                begin = feed + 1;
            }
            length -= (size_t)(begin - text);
            memmove(text, begin, length);
        }
        stop(child, reading);
    }
}

/// Splits the services of an argument, without those whose library this machine lacks.
static void set_services(struct services *services, char *argument) {
    for (char *name = strtok(argument, " "); name && services->count < service_limit; name = strtok(NULL, " ")) {
        char library[128];
        snprintf(library, sizeof library, "libnss_%s.so.2", name);
        // The files are part of the C library.
        if (!strcmp(name, "files") || dlopen(library, RTLD_NOW)) services->names[services->count++] = name;
        else printf("- %s absent\n", name);
    }
}

/// Reads the questions; false if one does not read.
static int read_questions(void) {
    char *input = malloc(input_limit + 1);
    questions = calloc(question_limit, sizeof *questions);
    if (!input || !questions) return 0;
    size_t length = fread(input, 1, input_limit, stdin);
    input[length] = 0;
    if (memchr(input, 0, length) || !feof(stdin)) return 0;
    for (char *line = strtok(input, "\n"); line; line = strtok(NULL, "\n")) {
        if (question_count == question_limit || !strchr("uUgGlm", line[0]) || line[1] != ' ' || !line[2]) return 0;
        struct question *question = &questions[question_count++];
        question->kind = line[0];
        question->text = line + 2;
        if (strchr("ugl", line[0])) continue;
        char *end;
        errno = 0;
        unsigned long id = strtoul(line + 2, &end, 10);
        if (errno || id >= 0xffffffff || end == line + 2) return 0;
        if (*end != (line[0] == 'm' ? ' ' : 0) || (line[0] == 'm' && !end[1])) return 0;
        question->id = (unsigned)id;
        if (line[0] == 'm') question->text = end + 1;
    }
    return 1;
}

int main(int count, char **words) {
    if (count != 6 || atoi(words[1]) <= 0 || atoi(words[2]) <= 0 || !read_questions()) {
        fputs("usage: mdefaults-names EACH ALL USERS GROUPS MEMBERS < QUESTIONS\n", stderr);
        return 2;
    }
    signal(SIGPIPE, SIG_DFL);
    int each = atoi(words[1]);
    long long end = now() + atoi(words[2]);
    set_services(&users, words[3]);
    set_services(&groups, words[4]);
    set_services(&members, words[5]);
    struct step first = {0, -1};
    struct step *late = calloc(question_limit, sizeof *late);
    int late_count = 0;
    if (!late) return 1;
    if (question_count && advance(&first)) run(first, 0, each, end, late, &late_count);
    // What took too long may have the rest of the time, one after the other: a group of 60,000 members takes long.
    for (int index = 0; index < late_count && now() < end; index++) {
        const struct question *question = &questions[late[index].question];
        int is_given_up = late_count_of(services_of(question)->names[late[index].service]) >= late_limit;
        if (is_given_up || (question->found && question->kind != 'm')) continue;
        run(late[index], 1, (int)(end - now()), end, NULL, NULL);
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
