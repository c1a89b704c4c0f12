/* ledger.c: writing the ledger. */
#include "ledger.h"

#include <stdio.h>
#include <string.h>

km_status km_ledger_open(km_ledger *ledger, const char *path, int force, km_err *err) {
  *ledger = (km_ledger){0};
  km_status status = km_outfile_open(&ledger->out, path, force, err);
  return status == KM_OK
             ? km_outfile_printf(ledger->out, err, "kind\tcode\tsource\tentry\tgame\tbyte\tdetail\n")
             : status;
}

/* Writes text with a tab before it, its own tabs, line ends and backslashes escaped. */
static km_status put_text(km_outfile *out, const char *text, km_err *err) {
  km_status status = km_outfile_write(out, "\t", 1, err);
  while (status == KM_OK && text && *text) {
    size_t n = strcspn(text, "\t\n\r\\");
    status = km_outfile_write(out, text, n, err);
    text += n;
    if (status == KM_OK && *text) {
      const char *escape = *text == '\t' ? "\\t" : *text == '\n' ? "\\n" : *text == '\r' ? "\\r" : "\\\\";
      status = km_outfile_write(out, escape, 2, err);
      text++;
    }
  }
  return status;
}

km_status km_ledger_add(km_ledger *ledger, const km_place *place, const km_finding *finding, km_err *err) {
  ledger->counts[finding->reason]++;
  if (!ledger->out)
    return KM_OK;
  const char *kind = km_reason_kind_name(km_reason_kind_of(finding->reason));
  km_status status = km_outfile_printf(ledger->out, err, "%s\t%s", kind, km_reason_code(finding->reason));
  if (status == KM_OK)
    status = put_text(ledger->out, place->source, err);
  if (status == KM_OK)
    status = put_text(ledger->out, place->entry, err);
  if (status == KM_OK)
    status = km_outfile_printf(ledger->out, err, "\t%u\t%llu", place->game, (unsigned long long)finding->pos);
  if (status == KM_OK)
    status = put_text(ledger->out, finding->detail, err);
  return status == KM_OK ? km_outfile_write(ledger->out, "\n", 1, err) : status;
}

km_status km_ledger_finish(km_ledger *ledger, km_err *err) {
  km_outfile *out = ledger->out;
  ledger->out = NULL;
  return out ? km_outfile_finish(out, err) : KM_OK;
}

void km_ledger_abandon(km_ledger *ledger) {
  km_outfile_abandon(ledger->out);
  ledger->out = NULL;
}
