/* planes_main.c: the program kifu-planes. */
#include "planes_stage.h"
#include "program.h"

int main(int argc, char **argv) {
  return km_program_main(&km_planes_stage, argc, argv);
}
