/* hbs_main.c: the program kifu-hbs. */
#include "hbs_stage.h"
#include "program.h"

int main(int argc, char **argv) {
  return km_program_main(&km_hbs_stage, argc, argv);
}
