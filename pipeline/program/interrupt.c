/* interrupt.c: what every program does when it is stopped from outside: its temporary files go, and it ends
 * of the signal, so that a shell sees 128 + its number and a script stops too. What is finished stays
 * (kifu-run resumes). An input that is cut off while it is mapped is an error with a message. And what it
 * does when it is started without standard input or output: an output must not get their number, or messages
 * would go into it. */
#include "program.h"

#include "kifumill/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* The signal is held while its handler runs; raised again, it ends the process when the handler returns. */
static void stop(int number) {
  km_outfile_remove_unfinished();
  signal(number, SIG_DFL);
  raise(number);
}

/* A mapped input (games.h5; archives see to themselves) has no more of what is read from it. */
static void lose_input(int number) {
  static char text[] = ": an input became shorter, or its disk failed, while it was read\n";
  (void)number;
  km_outfile_remove_unfinished();
  const struct iovec message[] = {
      {program_invocation_short_name, strlen(program_invocation_short_name)},
      {text, sizeof text - 1},
  };
  (void)!writev(STDERR_FILENO, message, 2);
  _exit(KM_EXIT_FAILED);
}

/* What is closed stays of no use: it is opened the wrong way round. */
static void take_numbers(void) {
  for (int fd = 0; fd < 3; fd++)
    if (fcntl(fd, F_GETFD) < 0)
      (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY); /* gets the lowest number free, which is fd */
}

static void handle(int number, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler}, before;
  sigfillset(&action.sa_mask);
  if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL) /* nohup's stay ignored */
    sigaction(number, &action, NULL);
}

void km_program_guard(void) {
  take_numbers();
  static const int numbers[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE, SIGALRM,
                                SIGTERM, SIGXCPU, SIGUSR1, SIGUSR2};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    handle(numbers[i], stop);
  handle(SIGBUS, lose_input);
  signal(SIGXFSZ,
         SIG_IGN); /* a limit on the size of files is an error of write like a full disk, not the end */
}
