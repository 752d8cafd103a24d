// The frame of a page without scripts.
#include "still.h"

void still_begin(Text *out, const char *subject, const char *what, const char *style) {
  text_add(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-"
                "Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n<meta "
                "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,"
                "\">\n<title>");
  text_xml(out, subject);
  text_printf(out, ": %s</title>\n<style>body{font:15px/1.5 system-ui,sans-serif;max-width:960px;margin:2em auto;"
                   "padding:0 1em}table{border-collapse:collapse;width:100%%}td,th{padding:.2em .6em;text-align:right;"
                   "border-bottom:1px solid #ddd}td:first-child,th:first-child,td.why{text-align:left}%s</style>\n"
                   "</head>\n<body>\n<h1>", what, style);
  text_xml(out, subject);
  text_printf(out, ": %s</h1>\n", what);
}

void still_end(Text *out) { text_add(out, "</body>\n</html>\n"); }
