/* Simulates a disk that keeps only synced data.
 *
 * The shim is preloaded before a process's C library. All reads and writes go to the real files, and each sync copies
 * the synced data to a mirror. After the process is killed, the mirror holds what a disk would hold after a power loss.
 *
 *   LEADAPI_POWERLOSS_DISK       the folder to watch
 *   LEADAPI_POWERLOSS_MIRROR     the mirror: inodes/<number> holds the durable content of the file with that inode
 *                                number, and names/… holds the durable names as links to these files
 *   LEADAPI_POWERLOSS_SLOWER     the delay after each real sync in microseconds, with or without a watched folder
 *   LEADAPI_POWERLOSS_FULL       a file: while it contains an error number, writes to other files in its folder and
 *                                below fail with that error, as on a full disk
 *
 * A sync of a file makes its content durable. A sync of a folder makes the names in it durable. Nothing else makes data
 * durable. The real files and folders are not synced, which makes tests fast. If the process is killed during a sync,
 * only part of the data is in the mirror, as on a disk after a power loss.
 *
 * Not supported: writes through mmap, copy_file_range, fallocate and io_uring, files opened with O_SYNC, and concurrent
 * writes by other processes. A folder below the watched one becomes durable when it or its parent is first synced.
 */

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096

/* The pages of a file that are not durable: all pages from `from` onwards, and the pages marked in `marked`. */
struct file {
    ino_t inode;
    size_t from;
    unsigned char *marked;
    size_t marks;
    struct file *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct file *files;
static const char *disk;
static const char *mirror;
static useconds_t slower;
static const char *full;

__attribute__((constructor)) static void begin(void)
{
    slower = getenv("LEADAPI_POWERLOSS_SLOWER") ? strtoul(getenv("LEADAPI_POWERLOSS_SLOWER"), NULL, 10) : 0;
    full = getenv("LEADAPI_POWERLOSS_FULL");
    mirror = getenv("LEADAPI_POWERLOSS_MIRROR");
    disk = mirror ? getenv("LEADAPI_POWERLOSS_DISK") : NULL;
}

/* Aborts unless the condition holds, because a wrong mirror would make the test worthless. */
static void must(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "powerloss: %s: %s\n", what, strerror(errno));
        abort();
    }
}

static void path_of(char *path, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    int length = vsnprintf(path, PATH_MAX, format, rest);
    va_end(rest);
    must(length >= 0 && length < PATH_MAX, "a path is too long");
}

/* Returns whether an open file is the watched folder or below it. Sets `rest` to the path within it: "" or "/a/b". */
static int is_watched(int fd, char *rest)
{
    char link[64], path[PATH_MAX];
    if (!disk)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    size_t prefix = strlen(disk);
    if (strncmp(path, disk, prefix) || (path[prefix] && path[prefix] != '/'))
        return 0;
    strcpy(rest, path + prefix);
    return 1;
}

/* Returns whether a write to an open file must fail because the disk is full. If so, sets errno. */
static int is_full(int fd)
{
    char link[64], path[PATH_MAX], number[16] = "";
    if (!full)
        return 0;
    int flag = syscall(SYS_openat, AT_FDCWD, full, O_RDONLY | O_CLOEXEC);
    if (flag < 0)
        return 0;
    ssize_t length = syscall(SYS_read, flag, number, sizeof number - 1);
    close(flag);
    if (length <= 0)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof path - 1);
    size_t folder = strrchr(full, '/') - full + 1;
    if (length < 0 || (size_t)length < folder || strncmp(path, full, folder))
        return 0;
    errno = atoi(number);
    return 1;
}

/* Returns the record of a file. Creates it with no durable pages if this process sees the file for the first time. */
static struct file *record_of(ino_t inode)
{
    for (struct file *file = files; file; file = file->next)
        if (file->inode == inode)
            return file;
    struct file *file = calloc(1, sizeof *file);
    must(file != NULL, "no memory");
    file->inode = inode;
    file->next = files;
    return files = file;
}

/* Returns the record of an open file, or NULL if the file is not watched or has no name. */
static struct file *record_of_open(int fd)
{
    char rest[PATH_MAX];
    struct stat stat;
    if (!is_watched(fd, rest) || fstat(fd, &stat) || !S_ISREG(stat.st_mode) || stat.st_nlink == 0)
        return NULL;
    return record_of(stat.st_ino);
}

/* Records a completed write. Recording it earlier would be wrong if another thread synced in between. */
static void wrote(int fd, off_t start, ssize_t length)
{
    int before = errno;
    pthread_mutex_lock(&lock);
    struct file *file = length > 0 ? record_of_open(fd) : NULL;
    if (file) {
        if (start < 0)
            start = lseek(fd, 0, SEEK_CUR) - length;
        size_t first = start / PAGE, end = (start + length - 1) / PAGE + 1;
        if (end > file->marks) {
            file->marked = realloc(file->marked, end);
            must(file->marked != NULL, "no memory");
            memset(file->marked + file->marks, 0, end - file->marks);
            file->marks = end;
        }
        memset(file->marked + first, 1, end - first);
    }
    pthread_mutex_unlock(&lock);
    errno = before;
}

/* Records that a file was truncated or extended. */
static void resized(int fd, off_t length)
{
    int before = errno;
    pthread_mutex_lock(&lock);
    struct file *file = record_of_open(fd);
    if (file && file->from > (size_t)length / PAGE)
        file->from = length / PAGE;
    pthread_mutex_unlock(&lock);
    errno = before;
}

static void inode_path(char *path, ino_t inode)
{
    path_of(path, "%s/inodes/%ju", mirror, (uintmax_t)inode);
}

/* Returns a descriptor that can read an open file.
 *
 * Uses the given descriptor if it can read, because closing another one would release all locks that the process holds
 * on the file. */
static int readable(int fd)
{
    char link[64];
    if ((fcntl(fd, F_GETFL) & O_ACCMODE) != O_WRONLY)
        return fd;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return syscall(SYS_openat, AT_FDCWD, link, O_RDONLY | O_CLOEXEC);
}

static void sync_content(int fd, const struct stat *stat)
{
    char path[PATH_MAX], page[PAGE];
    struct file *file = record_of(stat->st_ino);
    inode_path(path, stat->st_ino);
    int from = readable(fd);
    int to = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    must(from >= 0 && to >= 0, path);
    size_t pages = (stat->st_size + PAGE - 1) / PAGE;
    for (size_t n = 0; n < pages; n++) {
        if (n < file->from && (n >= file->marks || !file->marked[n]))
            continue;
        ssize_t length = pread(from, page, PAGE, (off_t)n * PAGE);
        must(length >= 0 && syscall(SYS_pwrite64, to, page, length, (off_t)n * PAGE) == length, path);
    }
    must(syscall(SYS_ftruncate, to, stat->st_size) == 0, path);
    if (from != fd)
        close(from);
    close(to);
    file->from = SIZE_MAX;
    file->marks = 0;
}

/* Makes a name in the mirror refer to this inode. */
static void sync_name(const char *name, ino_t inode)
{
    char path[PATH_MAX], fresh[PATH_MAX];
    struct stat old, new;
    inode_path(path, inode);
    /* A file that was never synced is empty. */
    int fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    must(fd >= 0 && fstat(fd, &new) == 0, path);
    close(fd);
    if (lstat(name, &old) == 0 && old.st_ino == new.st_ino)
        return;
    path_of(fresh, "%s/fresh", mirror);
    syscall(SYS_unlinkat, AT_FDCWD, fresh, 0);
    must(link(path, fresh) == 0 && syscall(SYS_renameat2, AT_FDCWD, fresh, AT_FDCWD, name, 0) == 0, name);
}

/* Copies a folder's names to the mirror. Adds new names before removing old ones, so a renamed file always has one. */
static void sync_names(const char *rest)
{
    char real[PATH_MAX], kept[PATH_MAX], path[PATH_MAX];
    struct dirent *entry;
    struct stat stat;
    path_of(real, "%s%s", disk, rest);
    path_of(kept, "%s/names%s", mirror, rest);
    must(mkdir(kept, 0700) == 0 || errno == EEXIST, kept);
    DIR *folder = opendir(real);
    must(folder != NULL, real);
    while ((entry = readdir(folder))) {
        path_of(path, "%s/%s", kept, entry->d_name);
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")
            || fstatat(dirfd(folder), entry->d_name, &stat, AT_SYMLINK_NOFOLLOW))
            continue;
        if (S_ISREG(stat.st_mode))
            sync_name(path, stat.st_ino);
        else if (S_ISDIR(stat.st_mode))
            must(mkdir(path, 0700) == 0 || errno == EEXIST, path);
    }
    closedir(folder);
    folder = opendir(kept);
    must(folder != NULL, kept);
    while ((entry = readdir(folder))) {
        path_of(path, "%s/%s", real, entry->d_name);
        if (lstat(path, &stat) && errno == ENOENT)
            must(syscall(SYS_unlinkat, dirfd(folder), entry->d_name, 0) == 0, path);
    }
    closedir(folder);
}

/* Returns whether the file or folder is watched, and mirrors it if so. The caller then skips the real sync. */
static int synced(int fd)
{
    char rest[PATH_MAX];
    struct stat stat;
    int before = errno;
    pthread_mutex_lock(&lock);
    int watched = is_watched(fd, rest) && fstat(fd, &stat) == 0;
    if (watched && S_ISDIR(stat.st_mode))
        sync_names(rest);
    else if (watched && S_ISREG(stat.st_mode) && stat.st_nlink)
        sync_content(fd, &stat);
    pthread_mutex_unlock(&lock);
    errno = before;
    return watched;
}

/* Returns the inode that loses its last name when this path is removed, or 0 if none does. */
static ino_t last_name(int folder, const char *path)
{
    char rest[PATH_MAX];
    struct stat stat;
    int before = errno;
    /* Closing an O_PATH descriptor does not release locks. */
    int fd = syscall(SYS_openat, folder, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    int last = fd >= 0 && is_watched(fd, rest) && fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) && stat.st_nlink == 1;
    if (fd >= 0)
        close(fd);
    errno = before;
    return last ? stat.st_ino : 0;
}

/* Forgets an inode, because another file may reuse its number. Names in the mirror still keep its content. */
static void forget(ino_t inode)
{
    char path[PATH_MAX];
    int before = errno;
    if (!inode)
        return;
    pthread_mutex_lock(&lock);
    for (struct file **place = &files; *place; place = &(*place)->next) {
        struct file *file = *place;
        if (file->inode == inode) {
            *place = file->next;
            free(file->marked);
            free(file);
            break;
        }
    }
    inode_path(path, inode);
    syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    pthread_mutex_unlock(&lock);
    errno = before;
}

/* The C library functions that this shim intercepts. */

#define ALSO(name, other) extern __typeof__(other) name __attribute__((alias(#other)))

int openat(int folder, const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    int fd = syscall(SYS_openat, folder, path, flags, mode);
    if (fd >= 0 && flags & O_TRUNC)
        resized(fd, 0);
    return fd;
}
ALSO(openat64, openat);

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return openat(AT_FDCWD, path, flags, mode);
}
ALSO(open64, open);

int creat(const char *path, mode_t mode)
{
    return openat(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
ALSO(creat64, creat);

ssize_t write(int fd, const void *bytes, size_t length)
{
    if (is_full(fd))
        return -1;
    ssize_t written = syscall(SYS_write, fd, bytes, length);
    wrote(fd, -1, written);
    return written;
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    if (is_full(fd))
        return -1;
    ssize_t written = syscall(SYS_writev, fd, parts, count);
    wrote(fd, -1, written);
    return written;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t start)
{
    if (is_full(fd))
        return -1;
    ssize_t written = syscall(SYS_pwrite64, fd, bytes, length, start);
    wrote(fd, start, written);
    return written;
}
ALSO(pwrite64, pwrite);

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t start)
{
    if (is_full(fd))
        return -1;
    ssize_t written = syscall(SYS_pwritev, fd, parts, count, start, 0);
    wrote(fd, start, written);
    return written;
}
ALSO(pwritev64, pwritev);

int ftruncate(int fd, off_t length)
{
    int result = syscall(SYS_ftruncate, fd, length);
    if (result == 0)
        resized(fd, length);
    return result;
}
ALSO(ftruncate64, ftruncate);

static int slowly(int result)
{
    if (slower > 0)
        usleep(slower);
    return result;
}

int fsync(int fd)
{
    return synced(fd) ? 0 : slowly(syscall(SYS_fsync, fd));
}

int fdatasync(int fd)
{
    return synced(fd) ? 0 : slowly(syscall(SYS_fdatasync, fd));
}

int unlinkat(int folder, const char *path, int flags)
{
    ino_t gone = last_name(folder, path);
    int result = syscall(SYS_unlinkat, folder, path, flags);
    if (result == 0)
        forget(gone);
    return result;
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

int renameat(int old_folder, const char *old, int new_folder, const char *new)
{
    ino_t gone = last_name(new_folder, new);
    int result = syscall(SYS_renameat2, old_folder, old, new_folder, new, 0);
    if (result == 0 && gone != last_name(new_folder, new))
        forget(gone);
    return result;
}

int rename(const char *old, const char *new)
{
    return renameat(AT_FDCWD, old, AT_FDCWD, new);
}
