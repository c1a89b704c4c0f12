/* sections.h: the parts of the page, each written from the inputs it needs, or not at all. */
#ifndef KIFUMILL_SECTIONS_H
#define KIFUMILL_SECTIONS_H

#include "report_page.h"

void km_section_head(km_report *report);     /* under the title: facts, what is missing */
void km_section_corpus(km_report *report);   /* the ledger, facts of the games */
void km_section_curves(km_report *report);   /* trajectories of S */
void km_section_phases(km_report *report);   /* change-points and divisions */
void km_section_examples(km_report *report); /* games with their boards */
void km_section_winrate(km_report *report);  /* models */
void km_section_external(km_report *report); /* networks at the same positions */
void km_section_styles(km_report *report);
void km_section_shards(km_report *report);
void km_section_run(km_report *report); /* settings, digests, versions */

#endif
