/* ingest_main.c: the program kifu-ingest. */
#include "ingest_stage.h"
#include "program.h"

int main(int argc, char **argv) { return km_program_main(&km_ingest_stage, argc, argv); }
