/* mapped_input.c: what a mapped file does not give any more reads as zeros, and is remembered.
 *
 * The system sends SIGBUS for a page of a mapped file that has been cut off, or that the disk does not give.
 * The first mapping installs a handler before the program's own: it puts a page of zeros in the place, notes
 * it with the mapping, and the reading goes on; the reader tells when it is done. A handler sees no more than
 * what is static, so the mappings of the process stand in a table; those beyond its length are not guarded.
 */
#include "mapped_input.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SLOTS = 256 };

static struct {
  _Atomic(uintptr_t) start; /* 0: free */
  _Atomic(size_t) n_bytes;  /* 0: not in use yet */
  atomic_bool lost;
} slots[SLOTS];
static pthread_once_t guarded = PTHREAD_ONCE_INIT;
static uintptr_t page_bytes;
static struct sigaction before; /* what the program does with other pages */

static bool give_zeros(uintptr_t at) {
  for (int i = 0; i < SLOTS; i++) {
    uintptr_t start = atomic_load(&slots[i].start), page = at & ~(page_bytes - 1);
    if (!start || at < start || at - start >= atomic_load(&slots[i].n_bytes))
      continue;
    atomic_store(&slots[i].lost, true);
    return mmap((void *)page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
           MAP_FAILED;
  }
  return false;
}

static void on_bus_error(int number, siginfo_t *info, void *context) {
  (void)context;
  if (!give_zeros((uintptr_t)info->si_addr))
    sigaction(number, &before, NULL); /* not ours: it happens again, and goes there */
}

static void guard(void) {
  struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_RESTART};
  page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
  sigaction(SIGBUS, &action, &before);
}

km_mapped km_mapped_open(int fd, size_t n_bytes) {
  km_mapped mapped = {.slot = -1, .fd = -1};
  pthread_once(&guarded, guard);
  void *bytes = mmap(NULL, n_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
  if (bytes == MAP_FAILED)
    return mapped;
  mapped.bytes = bytes;
  mapped.n_bytes = n_bytes;
  mapped.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  for (int i = 0; i < SLOTS && mapped.slot < 0; i++) {
    uintptr_t free_slot = 0;
    if (!atomic_compare_exchange_strong(&slots[i].start, &free_slot, (uintptr_t)bytes))
      continue;
    atomic_store(&slots[i].lost, false);
    atomic_store(&slots[i].n_bytes, n_bytes);
    mapped.slot = i;
  }
  return mapped;
}

bool km_mapped_lost(const km_mapped *mapped, uint64_t *at) {
  struct stat st;
  *at = 0;
  if (!mapped->bytes)
    return false;
  if (mapped->fd >= 0 && fstat(mapped->fd, &st) == 0)
    *at = (uint64_t)st.st_size;
  return (*at && *at < mapped->n_bytes) || (mapped->slot >= 0 && atomic_load(&slots[mapped->slot].lost));
}

void km_mapped_close(km_mapped *mapped) {
  if (mapped->bytes && mapped->slot >= 0) {
    atomic_store(&slots[mapped->slot].n_bytes, 0);
    atomic_store(&slots[mapped->slot].start, 0);
  }
  if (mapped->bytes)
    munmap(mapped->bytes, mapped->n_bytes);
  if (mapped->bytes && mapped->fd >= 0)
    close(mapped->fd);
  *mapped = (km_mapped){.slot = -1, .fd = -1};
}
