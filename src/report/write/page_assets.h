/* page_assets: template, style and script of report.html, generated from write/page. */
#ifndef QKVLAB_REPORT_PAGE_ASSETS_H
#define QKVLAB_REPORT_PAGE_ASSETS_H

extern const char page_template[], page_style[], page_script[];

#endif
