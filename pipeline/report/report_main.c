/* report_main.c: the program kifu-report. */
#include "program.h"
#include "report_stage.h"

int main(int argc, char **argv) {
  return km_program_main(&km_report_stage, argc, argv);
}
