// A preloaded library that makes selected system calls of a process fail: those that change files below FAULT_ROOT.
// FAULT_CONTROL is a file of four 64-bit numbers that the test and the process share: the number of such calls so far,
// which one fails (0: none), its error (0: it writes half of its bytes, and the next write finds the disk full), and
// whether all later calls fail too.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct control {
    int64_t count, at, error, all;
};

static struct control *control;
static const char *root;
static size_t root_length;
static int64_t half_taken_at;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAULT_CONTROL");
    // The calls of child processes do not count.
    unsetenv("LD_PRELOAD");
    root = getenv("FAULT_ROOT");
    if (!path || !root) return;
    root_length = strlen(root);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    void *mapped = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (mapped != MAP_FAILED) control = mapped;
}

static int is_below(const char *path) {
    return control && path && strncmp(path, root, root_length) == 0;
}

static int is_file_below(int fd) {
    char link[64], path[4096];
    struct stat found;
    if (!control || fstat(fd, &found) != 0 || !S_ISREG(found.st_mode)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return is_below(path);
}

// Returns the number of this call if it must fail, or else 0.
static int64_t chosen(void) {
    int64_t number = __atomic_add_fetch(&control->count, 1, __ATOMIC_SEQ_CST);
    int64_t at = __atomic_load_n(&control->at, __ATOMIC_SEQ_CST);
    return at > 0 && (number == at || (control->all && number > at)) ? number : 0;
}

static int fails(int opens) {
    if (!chosen()) return 0;
    // Only an open can fail with too many open files.
    if (!opens && control->error == EMFILE) return 0;
    errno = control->error ? (int)control->error : ENOSPC;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *bytes, size_t length) {
    if (is_file_below(fd)) {
        int64_t number = chosen();
        if (half_taken_at) {
            half_taken_at = 0;
            errno = ENOSPC;
            return -1;
        }
        if (number && control->error == 0 && length > 1) {
            half_taken_at = number;
            return REAL(write)(fd, bytes, length / 2);
        }
        if (number && control->error != EMFILE) {
            errno = control->error ? (int)control->error : ENOSPC;
            return -1;
        }
    }
    return REAL(write)(fd, bytes, length);
}

int fsync(int fd) { return is_file_below(fd) && fails(0) ? -1 : REAL(fsync)(fd); }
int fdatasync(int fd) { return is_file_below(fd) && fails(0) ? -1 : REAL(fdatasync)(fd); }
int ftruncate64(int fd, off64_t length) { return is_file_below(fd) && fails(0) ? -1 : REAL(ftruncate64)(fd, length); }
int rename(const char *from, const char *to) { return is_below(to) && fails(0) ? -1 : REAL(rename)(from, to); }
int mkdir(const char *path, mode_t mode) { return is_below(path) && fails(0) ? -1 : REAL(mkdir)(path, mode); }

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (is_below(path) && (flags & (O_CREAT | O_WRONLY | O_RDWR)) && fails(1)) return -1;
    return REAL(open64)(path, flags, mode);
}
