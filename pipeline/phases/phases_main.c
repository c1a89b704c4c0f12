/* phases_main.c: the program kifu-phases. */
#include "phases_stage.h"
#include "program.h"

int main(int argc, char **argv) {
  return km_program_main(&km_phases_stage, argc, argv);
}
