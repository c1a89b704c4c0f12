/* report_assets.h: the files of assets/, as they are embedded when the program is built (embed.cmake). */
#ifndef KIFUMILL_REPORT_ASSETS_H
#define KIFUMILL_REPORT_ASSETS_H

#include <stddef.h>

extern const unsigned char km_asset_report_css[], km_asset_report_js[];
extern const size_t km_asset_report_css_bytes, km_asset_report_js_bytes;

#endif
