/* h5_attribute_list.c: the attributes of an object whose names are not known beforehand, for those who look
 * into a file. Everything about an attribute is read from a file that may be damaged, so every size is
 * bounded before it is used. */
#include "h5_internal.h"

#include <stdlib.h>

enum { NAME_BYTES = 256, VALUE_BYTES_MAX = 64 << 20 };

/* Fills *a but for its name; *block is the memory of its texts. Kinds that are none of ours leave n at 0. */
static km_status read_value(hid_t attribute, hid_t type, km_h5_attribute *a, char **block, km_err *err) {
  hid_t space = H5Aget_space(attribute);
  hssize_t n = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
  H5T_class_t class = H5Tget_class(type);
  size_t width = H5Tget_size(type);
  if (space >= 0)
    H5Sclose(space);
  a->n = 0;
  if (class == H5T_STRING && H5Tis_variable_str(type) == 0 && n >= 0 && width > 0) {
    if ((uint64_t)n > VALUE_BYTES_MAX / width)
      return km_err_set(err, KM_ERR_LIMIT, 0, "an attribute is larger than any of ours");
    *block = malloc(n ? (size_t)n * width : 1);
    if (!*block)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
    a->kind = KM_H5_TEXTS;
    a->texts = *block;
    a->width = width;
    a->n = (size_t)n;
    return n && H5Aread(attribute, type, *block) < 0
               ? h5_fail(err, KM_ERR_FORMAT, "an attribute cannot be read")
               : KM_OK;
  }
  if (n != 1 || (class != H5T_INTEGER && class != H5T_FLOAT))
    return KM_OK;
  a->n = 1;
  a->kind = class == H5T_INTEGER ? KM_H5_INTEGER : KM_H5_REAL;
  herr_t done = class == H5T_INTEGER ? H5Aread(attribute, H5T_NATIVE_UINT64, &a->integer)
                                     : H5Aread(attribute, H5T_NATIVE_DOUBLE, &a->real);
  return done < 0 ? h5_fail(err, KM_ERR_FORMAT, "an attribute cannot be read") : KM_OK;
}

static km_status visit_one(hid_t object, uint64_t i, km_h5_attribute_visit *visit, void *ctx, km_err *err) {
  char name[NAME_BYTES], *block = NULL;
  km_h5_attribute a = {.name = name};
  hid_t attribute = H5Aopen_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT, H5P_DEFAULT);
  hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
  km_status status;
  if (type < 0 || H5Aget_name(attribute, sizeof name, name) < 0)
    status = h5_fail(err, KM_ERR_FORMAT, "attribute number %llu cannot be opened", (unsigned long long)i);
  else
    status = read_value(attribute, type, &a, &block, err);
  if (!status && (a.n || block))
    visit(ctx, &a);
  if (type >= 0)
    H5Tclose(type);
  if (attribute >= 0)
    H5Aclose(attribute);
  free(block);
  return status;
}

km_status km_h5_each_attribute(km_h5 *file, const char *at, km_h5_attribute_visit *visit, void *ctx,
                               km_err *err) {
  h5_enter();
  km_status status = KM_OK;
  hid_t object = H5Oopen(file->id, at, H5P_DEFAULT);
  int n = object >= 0 ? H5Aget_num_attrs(object) : -1;
  if (n < 0)
    status = h5_fail(err, KM_ERR_FORMAT, "%s has no object %s", file->path, at);
  for (int i = 0; i < n && !status; i++) {
    status = visit_one(object, (uint64_t)i, visit, ctx, err);
    if (status)
      km_err_prefix(err, "%s: %s", file->path, at);
  }
  if (object >= 0)
    H5Oclose(object);
  h5_leave();
  return status;
}
