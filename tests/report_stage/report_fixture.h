/* report_fixture.h: small outputs of the other stages, made by formulas, so that every verdict and every part
 * of the page can be asked for. */
#ifndef KIFUMILL_REPORT_FIXTURE_H
#define KIFUMILL_REPORT_FIXTURE_H

#include "report_stage.h"

#include "kifumill/err.h"

/* How the mean of S (and of its logarithm) goes with the share x of the game, 0…1 to 0…1. */
typedef double fixture_shape(double x);
double fixture_linear(double x);
double fixture_concave(double x); /* steep first */
double fixture_convex(double x);  /* steep last */
double fixture_sigmoid(double x); /* slow, fast, slow */

typedef struct fixture_hbs {
  fixture_shape *s, *log2;
  double error; /* standard errors, as a share of the whole growth */
  unsigned games;
  unsigned games_falling;
  double edge_first, inner_first; /* medians of the first stones on the outermost and the other layers */
  double late_inner, late_outer;  /* growth of layers in the last third, as a share of bits */
  const char *stratum;            /* a name among the strata; NULL: none */
} fixture_hbs;
void fixture_put_hbs(const char *path, const fixture_hbs *hbs);
fixture_hbs fixture_hbs_default(void);

typedef struct fixture_estimate {
  double value, low, high;
} fixture_estimate;

typedef struct fixture_phases {
  const char *kind;                             /* of the reference */
  fixture_estimate minus_uniform, minus_stones; /* F1 of HBS minus theirs */
  unsigned games;
  double middle, endgame; /* of the mean curve */
  const char *name;       /* players, source and entry of the example */
} fixture_phases;
void fixture_put_phases(const char *path, const fixture_phases *phases);
fixture_phases fixture_phases_default(void);

typedef struct fixture_winrate {
  fixture_estimate auc, gain;        /* of hbs_delta; accuracy gained over the constant */
  fixture_estimate opening, endgame; /* AUC of hbs_delta */
  fixture_estimate all_minus_ply, hybrid_minus_local, minus_external;
  fixture_estimate hybrid, all; /* AUC */
  double effect;                /* Cohen's d at all plies */
  double all_loss;              /* log-loss of all of HBS minus that of ply and komi, ± a tenth */
  const char *external;         /* name of the networks; NULL: none */
} fixture_winrate;
void fixture_put_winrate(const char *path, const fixture_winrate *winrate);
fixture_winrate fixture_winrate_default(void);

typedef struct fixture_styles {
  double p_all, p_source;
  const char *player; /* name of the first */
} fixture_styles;
void fixture_put_styles(const char *path, const fixture_styles *styles);

void fixture_put_facts(const char *path, const char *source);
void fixture_put_ledger(const char *path, const char *name);
void fixture_put_manifest(const char *path);
/* games.h5 with one game of the phases' example. */
void fixture_put_games(const char *path);

/* A fresh folder below /tmp, and its removal with all in it. */
void fixture_make_folder(char folder[64]);
void fixture_remove_folder(const char *folder);
/* Runs the stage on inputs into output, plots as given; the error's text in message. */
km_status fixture_run(const char *const *inputs, size_t n, const char *output, int plots, char message[320]);
/* A whole file, NUL-terminated (free it); fails the test when it is not there. */
char *fixture_read(const char *path, size_t *n_bytes);
/* The verdict that the page of output gives to the claim whose title begins so: "supported", … */
const char *fixture_verdict(const char *output, const char *title);

#endif
