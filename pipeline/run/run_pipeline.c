/* run_pipeline.c: decides what is done, runs the rest in order, prints the table. */
#include "run_pipeline.h"

#include "kifumill/archive_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static const char *in_folder(const km_pipeline *pipeline, const char *name, char path[PATH_BYTES]) {
  snprintf(path, PATH_BYTES, "%s/%s", pipeline->run.output, name);
  return path;
}

/* ---- choosing -------------------------------------------------------------------------------------------------- */

static int wiring_index(const char *name, size_t n) {
  for (size_t i = 0; i < km_n_run_wirings; i++)
    if (strlen(km_run_wirings[i].stage->name) == n && memcmp(km_run_wirings[i].stage->name, name, n) == 0)
      return (int)i;
  return -1;
}

static km_status unknown_stage(const char *option, const char *name, size_t n, km_err *err) {
  char names[128] = "";
  for (size_t i = 0; i < km_n_run_wirings; i++) {
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", km_run_wirings[i].stage->name);
  }
  return km_err_set(err, KM_ERR_USAGE, 0, "--%s %.*s: no such stage (%s)", option, (int)n, name, names);
}

static km_status choose_list(km_pipeline *pipeline, km_err *err) {
  for (const char *p = pipeline->stages; p && *p;) {
    size_t n = strcspn(p, ", ");
    int i = wiring_index(p, n);
    if (n && i < 0)
      return unknown_stage("stages", p, n, err);
    if (n)
      pipeline->steps[i].wanted = 1;
    p += n + (p[n] != 0);
  }
  return KM_OK;
}

/* Only the stage that has parts is run; the stages before it must be done. */
static km_status choose_part(km_pipeline *pipeline, km_err *err) {
  for (size_t i = 0; i < km_n_run_wirings; i++) {
    const km_stage *stage = km_run_wirings[i].stage;
    pipeline->steps[i].wanted = strcmp(stage->name, "planes") == 0;
    if (pipeline->steps[i].wanted) {
      km_option_table table = {stage->rows, stage->n_rows};
      km_status status = km_option_set(&table, 1, pipeline->steps[i].options, "part", pipeline->part, err);
      if (status != KM_OK)
        return status;
    }
  }
  return KM_OK;
}

km_status km_pipeline_choose(km_pipeline *pipeline, km_err *err) {
  if (pipeline->part)
    return choose_part(pipeline, err);
  for (size_t i = 0; i < km_n_run_wirings; i++)
    pipeline->steps[i].wanted = !pipeline->stages;
  km_status status = choose_list(pipeline, err);
  int first = 0, last = (int)km_n_run_wirings - 1;
  if (status == KM_OK && pipeline->from && (first = wiring_index(pipeline->from, strlen(pipeline->from))) < 0)
    return unknown_stage("from", pipeline->from, strlen(pipeline->from), err);
  if (status == KM_OK && pipeline->until && (last = wiring_index(pipeline->until, strlen(pipeline->until))) < 0)
    return unknown_stage("until", pipeline->until, strlen(pipeline->until), err);
  for (int i = 0; i < (int)km_n_run_wirings; i++)
    pipeline->steps[i].wanted = pipeline->steps[i].wanted && i >= first && i <= last;
  return status;
}

/* ---- what a step depends on ------------------------------------------------------------------------------------ */

static void add_text(km_digest *digest, const char *text) { km_digest_add(digest, text, strlen(text) + 1); }

/* A file counts by name, size and time; what is in archives of hundreds of gigabytes is not read twice. */
static void add_file(km_digest *digest, const char *path, const struct stat *info) {
  int64_t numbers[] = {info->st_size, info->st_mtim.tv_sec, info->st_mtim.tv_nsec};
  add_text(digest, path);
  km_digest_add(digest, numbers, sizeof numbers);
}

/* The run's inputs: each file of a folder, a list or a split archive. KM_SKIP when some are pipes, of which nothing
 * is known before they are read. */
static km_status add_inputs(km_digest *digest, const km_run_options *run, km_err *err) {
  km_inputs *inputs;
  km_status status = km_inputs_open(&inputs, run->inputs, run->n_inputs, NULL, err);
  if (status == KM_OK) {
    status = km_inputs_identify(inputs, digest);
    km_inputs_free(inputs);
    if (status < 0)
      km_err_set(err, status, 0, "out of memory for the list of inputs");
  }
  return status;
}

static void add_outputs(km_digest *digest, const km_pipeline *pipeline, const char *const *names) {
  for (; *names; names++) {
    char path[PATH_BYTES];
    struct stat info;
    if (stat(in_folder(pipeline, *names, path), &info) == 0)
      add_file(digest, path, &info);
  }
}

/* An option whose text is the name of a file is read by the stage: a table of labels, or of others' win-rates. */
static km_status add_option_files(km_digest *digest, const km_stage *stage, const void *options) {
  km_status status = KM_OK;
  for (size_t i = 0; i < stage->n_rows; i++) {
    const char *text = NULL;
    struct stat info;
    if (stage->rows[i].kind == KM_OPTION_STRING)
      memcpy(&text, (const char *)options + stage->rows[i].offset, sizeof text);
    if (!text || stat(text, &info))
      continue;
    if (S_ISREG(info.st_mode))
      add_file(digest, text, &info);
    else if (!S_ISDIR(info.st_mode))
      status = KM_SKIP;
  }
  return status;
}

/* What the step depends on. KM_SKIP: on something that is not known before it is read. */
static km_status step_digest(const km_pipeline *pipeline, const km_run_step *step, km_hash128 *value, km_err *err) {
  const km_run_options *run = step->options;
  km_digest *digest = km_digest_new();
  if (!digest)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  add_text(digest, KM_GENERATOR);
  add_text(digest, run->config_text);
  km_status of_files = add_option_files(digest, step->wiring->stage, step->options), status = KM_OK;
  if (!step->wiring->inputs[0])
    status = add_inputs(digest, &pipeline->run, err);
  add_outputs(digest, pipeline, step->wiring->inputs);
  add_outputs(digest, pipeline, step->wiring->optional);
  *value = km_digest_value(digest);
  km_digest_free(digest);
  return status ? status : of_files;
}

/* ---- running --------------------------------------------------------------------------------------------------- */

static int exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0;
}

/* Fills the inputs of a step with paths from the run folder; those missing are an error unless optional. */
static km_status find_inputs(const km_pipeline *pipeline, const km_run_step *step, char (*paths)[PATH_BYTES],
                             const char **inputs, km_err *err) {
  km_run_options *run = step->options;
  size_t n = 0;
  for (const char *const *name = step->wiring->inputs; *name; name++) {
    if (!exists(in_folder(pipeline, *name, paths[n])))
      return km_err_set(err, KM_ERR_USAGE, 0, "%s: %.200s is not there: run the stage before it", step->wiring->stage->name,
                        paths[n]);
    inputs[n] = paths[n];
    n++;
  }
  for (const char *const *name = step->wiring->optional; *name; name++)
    if (exists(in_folder(pipeline, *name, paths[n]))) {
      inputs[n] = paths[n];
      n++;
    }
  run->inputs = n ? inputs : pipeline->run.inputs;
  run->n_inputs = n ? n : pipeline->run.n_inputs;
  return KM_OK;
}

static km_status write_stamp(const km_pipeline *pipeline, const km_run_step *step, const char *path, km_err *err) {
  size_t n_outputs = 0;
  while (step->wiring->outputs[n_outputs])
    n_outputs++;
  return km_run_stamp_write(path, pipeline->run.output, step->wiring->outputs, n_outputs, &step->stamp, err);
}

static km_status run_step(km_pipeline *pipeline, km_run_step *step, km_err *err) {
  const km_stage *stage = step->wiring->stage;
  km_run_options *run = step->options;
  char output[PATH_BYTES], stamp_name[64], stamp_path[PATH_BYTES], paths[16][PATH_BYTES];
  const char *inputs[16];
  run->output = in_folder(pipeline, step->wiring->output, output);
  run->threads = pipeline->run.threads;
  run->seed = pipeline->run.seed;
  run->progress = pipeline->run.progress;
  run->messages = pipeline->run.messages;
  run->force = 1;
  km_status status = find_inputs(pipeline, step, paths, inputs, err);
  if (status == KM_OK && run->n_inputs < stage->min_inputs)
    status = km_err_set(err, KM_ERR_USAGE, 0, "%s: no input given (in the config under inputs, or behind it)", stage->name);
  if (status == KM_OK)
    status = km_stage_describe(stage, run, err);
  km_hash128 depends = {0};
  km_status known = status == KM_OK ? step_digest(pipeline, step, &depends, err) : status;
  if (known < 0 && status == KM_OK)
    status = km_err_prefix(err, "%s", stage->name);
  snprintf(stamp_name, sizeof stamp_name, ".kifu-run/%s.json", stage->name);
  in_folder(pipeline, stamp_name, stamp_path);
  if (known == KM_OK && !pipeline->part && km_run_stamp_read(stamp_path, pipeline->run.output, &step->stamp) &&
      km_hash128_equal(step->stamp.depends, depends) && !pipeline->run.force) {
    step->was_done = 1;
    return KM_OK;
  }
  if (status == KM_OK) {
    double started = km_clock_seconds();
    if (!pipeline->part)
      unlink(stamp_path);
    step->stamp = (km_run_stamp){.depends = depends};
    if (run->messages)
      fprintf(run->messages, "== %s\n", stage->name);
    status = stage->run(run, &step->stamp.outcome, err);
    step->stamp.seconds = km_clock_seconds() - started;
    step->ran = status == KM_OK;
    if (status != KM_OK)
      km_err_prefix(err, "%s", stage->name);
    else if (!pipeline->part)
      status = write_stamp(pipeline, step, stamp_path, err);
  }
  return status;
}

/* The folder of the run, with a lock so that two runs do not write into one; runs of parts share it. */
static km_status open_folder(const km_pipeline *pipeline, int *lock, km_err *err) {
  char path[PATH_BYTES];
  *lock = -1;
  for (const char *p = pipeline->run.output; *p; p++) { /* parents first */
    size_t n = (size_t)(p - pipeline->run.output);
    if (*p == '/' && n > 0 && n < PATH_BYTES) {
      memcpy(path, pipeline->run.output, n);
      path[n] = 0;
      mkdir(path, 0777);
    }
  }
  if (mkdir(pipeline->run.output, 0777) && errno != EEXIST)
    return km_err_set(err, KM_ERR_IO, errno, "cannot make the folder %.200s", pipeline->run.output);
  if (mkdir(in_folder(pipeline, ".kifu-run", path), 0777) && errno != EEXIST)
    return km_err_set(err, KM_ERR_IO, errno, "cannot make the folder %.200s", path);
  *lock = open(in_folder(pipeline, ".kifu-run/lock", path), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (*lock < 0)
    return km_err_set(err, KM_ERR_IO, errno, "cannot open %.200s", path);
  if (flock(*lock, (pipeline->part ? LOCK_SH : LOCK_EX) | LOCK_NB))
    return km_err_set(err, KM_ERR_STATE, 0, "another kifu-run is at work in %.200s", pipeline->run.output);
  return KM_OK;
}

km_status km_pipeline_run(km_pipeline *pipeline, km_err *err) {
  int lock;
  km_status status = open_folder(pipeline, &lock, err);
  for (size_t i = 0; status == KM_OK && i < km_n_run_wirings; i++) {
    if (pipeline->steps[i].wanted) {
      status = run_step(pipeline, &pipeline->steps[i], err);
      km_stage_forget(pipeline->steps[i].options);
    }
  }
  if (lock >= 0)
    close(lock);
  return status;
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

static void print_bytes(uint64_t n_bytes, char text[24]) {
  static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
  double value = (double)n_bytes;
  int unit = 0;
  for (; value >= 1000 && unit < 4; unit++)
    value /= 1000;
  snprintf(text, 24, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static void print_refusals(const km_pipeline *pipeline, FILE *out) {
  char path[PATH_BYTES];
  json_t *summary = json_load_file(in_folder(pipeline, "games.summary.json", path), 0, NULL), *count;
  const char *reason;
  if (!summary)
    return;
  fprintf(out, "records read %lld = games %lld + refused %lld",
          (long long)json_integer_value(json_object_get(summary, "records")),
          (long long)json_integer_value(json_object_get(summary, "games")),
          (long long)json_integer_value(json_object_get(summary, "refused")));
  const char *separator = " (";
  json_object_foreach(json_object_get(summary, "refused_by_reason"), reason, count) {
    fprintf(out, "%s%s %lld", separator, reason, (long long)json_integer_value(count));
    separator = ", ";
  }
  fprintf(out, "%s\n", *separator == ',' ? ")" : "");
  json_decref(summary);
}

static uint64_t step_bytes(const km_pipeline *pipeline, const km_run_step *step) {
  uint64_t n_bytes = 0;
  for (const char *const *name = step->wiring->outputs; *name; name++) {
    char path[PATH_BYTES];
    n_bytes += km_run_size(in_folder(pipeline, *name, path));
  }
  return n_bytes;
}

void km_pipeline_table(const km_pipeline *pipeline, FILE *out) {
  fprintf(out, "\n%-9s %10s %12s %7s %10s %9s  %s\n", "stage", "games", "positions", "files", "size", "seconds", "output");
  for (size_t i = 0; i < km_n_run_wirings; i++) {
    const km_run_step *step = &pipeline->steps[i];
    if (!step->wanted)
      continue;
    const km_stage_outcome *o = &step->stamp.outcome;
    char size[24];
    print_bytes(step_bytes(pipeline, step), size);
    fprintf(out, "%-9s %10" PRIu64 " %12" PRIu64 " %7" PRIu64 " %10s %9.2f  %s/%s%s\n", step->wiring->stage->name, o->n_games,
            o->n_positions, o->n_files, size, step->stamp.seconds, pipeline->run.output, step->wiring->output,
            step->was_done ? " (done before)" : "");
  }
  print_refusals(pipeline, out);
}
