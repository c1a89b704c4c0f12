/* h5_attribute.c: attributes. Text is UTF-8 of fixed length, padded with NULs, so that nothing lies in HDF5's
 * global heap, which has no check sum. */
#include "h5_internal.h"

#include <stdlib.h>
#include <string.h>

/* No attribute of ours is near this; a damaged one may claim to be. */
enum { TEXT_BYTES_MAX = 64 << 20 };

static hid_t text_type(size_t n_bytes) {
  hid_t type = H5Tcopy(H5T_C_S1);
  if (type >= 0 && (H5Tset_size(type, n_bytes ? n_bytes : 1) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0 ||
                    H5Tset_strpad(type, H5T_STR_NULLPAD) < 0)) {
    H5Tclose(type);
    return -1;
  }
  return type;
}

/* Makes and writes an attribute; closes type when it is to. In a scope, as all statics here. */
static km_status put(hid_t object, const char *name, hid_t type, hid_t space, const void *value,
                     km_err *err) {
  hid_t attribute = -1;
  if (object >= 0 && type >= 0 && space >= 0)
    attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  km_status status = KM_OK;
  if (attribute < 0 || H5Awrite(attribute, type, value) < 0)
    status = h5_fail(err, KM_ERR_IO, "cannot write attribute %s", name);
  if (attribute >= 0 && H5Aclose(attribute) < 0 && !status)
    status = h5_fail(err, KM_ERR_IO, "cannot write attribute %s", name);
  if (space >= 0)
    H5Sclose(space);
  return status;
}

km_status h5_put_text(hid_t object, const char *name, const char *text, km_err *err) {
  size_t n = strlen(text);
  hid_t type = text_type(n);
  km_status status = put(object, name, type, H5Screate(H5S_SCALAR), text, err);
  if (type >= 0)
    H5Tclose(type);
  return status;
}

static km_status put_texts(hid_t object, const char *name, const char *const *texts, size_t n, km_err *err) {
  size_t width = 1;
  for (size_t i = 0; i < n; i++)
    if (strlen(texts[i]) > width)
      width = strlen(texts[i]);
  char *block = calloc(n ? n : 1, width);
  if (!block)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  for (size_t i = 0; i < n; i++)
    memcpy(block + i * width, texts[i], strlen(texts[i]));
  hid_t type = text_type(width);
  hsize_t dims[1] = {n};
  km_status status = put(object, name, type, H5Screate_simple(1, dims, NULL), block, err);
  if (type >= 0)
    H5Tclose(type);
  free(block);
  return status;
}

/* What to put, for one way in. */
typedef struct value {
  const char *text;
  const char *const *texts;
  size_t n_texts;
  hid_t type;
  const void *number;
} value;

static km_status put_at(km_h5 *file, const char *at, const char *name, const value *v, km_err *err) {
  hid_t object = H5Oopen(file->id, at, H5P_DEFAULT);
  km_status status;
  if (object < 0)
    status = h5_fail(err, KM_ERR_STATE, "%s has no object %s", file->path, at);
  else if (v->text)
    status = h5_put_text(object, name, v->text, err);
  else if (v->texts)
    status = put_texts(object, name, v->texts, v->n_texts, err);
  else
    status = put(object, name, v->type, H5Screate(H5S_SCALAR), v->number, err);
  if (object >= 0)
    H5Oclose(object);
  if (status)
    km_err_prefix(err, "%s", file->path);
  return status;
}

km_status km_h5_put_text(km_h5 *file, const char *at, const char *name, const char *text, km_err *err) {
  h5_enter();
  km_status status = put_at(file, at, name, &(value){.text = text}, err);
  h5_leave();
  return status;
}

km_status km_h5_put_texts(km_h5 *file, const char *at, const char *name, const char *const *texts, size_t n,
                          km_err *err) {
  h5_enter();
  km_status status = put_at(file, at, name, &(value){.texts = texts, .n_texts = n}, err);
  h5_leave();
  return status;
}

km_status km_h5_put_u64(km_h5 *file, const char *at, const char *name, uint64_t number, km_err *err) {
  h5_enter();
  km_status status = put_at(file, at, name, &(value){.type = H5T_STD_U64LE, .number = &number}, err);
  h5_leave();
  return status;
}

km_status km_h5_put_f64(km_h5 *file, const char *at, const char *name, double number, km_err *err) {
  h5_enter();
  km_status status = put_at(file, at, name, &(value){.type = H5T_IEEE_F64LE, .number = &number}, err);
  h5_leave();
  return status;
}

/* Opens attribute name of object at; the object is closed again. */
static km_status open_attribute(hid_t *attribute, km_h5 *file, const char *at, const char *name,
                                km_err *err) {
  *attribute = -1;
  hid_t object = H5Oopen(file->id, at, H5P_DEFAULT);
  if (object < 0)
    return h5_fail(err, KM_ERR_FORMAT, "%s has no object %s", file->path, at);
  if (H5Aexists(object, name) > 0)
    *attribute = H5Aopen(object, name, H5P_DEFAULT);
  H5Oclose(object);
  if (*attribute < 0)
    return h5_fail(err, KM_ERR_FORMAT, "%s: %s has no attribute %s", file->path, at, name);
  return KM_OK;
}

/* Whether the attribute is one value of the class. */
static int is_scalar(hid_t attribute, hid_t type, H5T_class_t class) {
  hid_t space = H5Aget_space(attribute);
  int scalar =
      space >= 0 && H5Sget_simple_extent_npoints(space) == 1 && type >= 0 && H5Tget_class(type) == class;
  if (space >= 0)
    H5Sclose(space);
  return scalar;
}

static km_status get_text(hid_t attribute, char **text, km_err *err) {
  hid_t type = H5Aget_type(attribute);
  size_t n = type >= 0 ? H5Tget_size(type) : 0;
  char *bytes = NULL;
  km_status status = KM_OK;
  if (!is_scalar(attribute, type, H5T_STRING) || H5Tis_variable_str(type) != 0 || n > TEXT_BYTES_MAX)
    status = km_err_set(err, KM_ERR_FORMAT, 0, "not a text of fixed length");
  else if (!(bytes = calloc(n + 1, 1)))
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  else if (H5Aread(attribute, type, bytes) < 0)
    status = h5_fail(err, KM_ERR_FORMAT, "cannot be read");
  if (type >= 0)
    H5Tclose(type);
  if (status)
    free(bytes);
  else
    *text = bytes;
  return status;
}

static km_status get_number(hid_t attribute, H5T_class_t class, hid_t memory_type, void *number,
                            km_err *err) {
  hid_t type = H5Aget_type(attribute);
  km_status status = KM_OK;
  if (!is_scalar(attribute, type, class))
    status = km_err_set(err, KM_ERR_FORMAT, 0, "not a number of the kind expected");
  else if (H5Aread(attribute, memory_type, number) < 0)
    status = h5_fail(err, KM_ERR_FORMAT, "cannot be read");
  if (type >= 0)
    H5Tclose(type);
  return status;
}

/* Where to put what is read, for one way in. */
typedef struct place {
  char **text;
  uint64_t *u64;
  double *f64;
} place;

static km_status get_at(km_h5 *file, const char *at, const char *name, const place *to, km_err *err) {
  hid_t attribute;
  km_status status = open_attribute(&attribute, file, at, name, err);
  if (status)
    return status;
  if (to->text)
    status = get_text(attribute, to->text, err);
  else if (to->u64)
    status = get_number(attribute, H5T_INTEGER, H5T_NATIVE_UINT64, to->u64, err);
  else
    status = get_number(attribute, H5T_FLOAT, H5T_NATIVE_DOUBLE, to->f64, err);
  H5Aclose(attribute);
  if (status)
    km_err_prefix(err, "%s: attribute %s of %s", file->path, name, at);
  return status;
}

km_status km_h5_get_text(km_h5 *file, const char *at, const char *name, char **text, km_err *err) {
  *text = NULL;
  h5_enter();
  km_status status = get_at(file, at, name, &(place){.text = text}, err);
  h5_leave();
  return status;
}

km_status km_h5_get_u64(km_h5 *file, const char *at, const char *name, uint64_t *number, km_err *err) {
  h5_enter();
  km_status status = get_at(file, at, name, &(place){.u64 = number}, err);
  h5_leave();
  return status;
}

km_status km_h5_get_f64(km_h5 *file, const char *at, const char *name, double *number, km_err *err) {
  h5_enter();
  km_status status = get_at(file, at, name, &(place){.f64 = number}, err);
  h5_leave();
  return status;
}
