/* interrupt.c: what every program does when it is stopped from outside: its temporary files go, and it ends
 * of the signal, so that a shell sees 128 + its number and a script stops too. What is finished stays
 * (kifu-run resumes). And what it does when it is started without standard input or output: an output must
 * not get their number, or messages would go into it. */
#include "program.h"

#include "kifumill/outfile.h"

#include <fcntl.h>
#include <signal.h>

/* The signal is held while its handler runs; raised again, it ends the process when the handler returns. */
static void stop(int number) {
  km_outfile_remove_unfinished();
  signal(number, SIG_DFL);
  raise(number);
}

/* What is closed stays of no use: it is opened the wrong way round. */
static void take_numbers(void) {
  for (int fd = 0; fd < 3; fd++)
    if (fcntl(fd, F_GETFD) < 0)
      (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY); /* gets the lowest number free, which is fd */
}

void km_program_guard(void) {
  take_numbers();
  static const int numbers[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE, SIGALRM,
                                SIGTERM, SIGXCPU, SIGUSR1, SIGUSR2};
  struct sigaction action = {.sa_handler = stop}, before;
  sigfillset(&action.sa_mask);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL) /* nohup's stay ignored */
      sigaction(numbers[i], &action, NULL);
  signal(SIGXFSZ,
         SIG_IGN); /* a limit on the size of files is an error of write like a full disk, not the end */
}
