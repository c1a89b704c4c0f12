/* winrate_main.c: the program kifu-winrate. */
#include "program.h"
#include "winrate_stage.h"

int main(int argc, char **argv) { return km_program_main(&km_winrate_stage, argc, argv); }
