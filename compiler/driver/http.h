// A server for one page on the loopback address: HTTP/1.1 as far as a browser on this machine needs it. Whoever is
// not this page is refused: another Host (a name that was bent to this address), a foreign Origin, a foreign site.
#pragma once
#include <stdbool.h>
#include "../base/text.h"

typedef struct HttpRequest {
  const char *method, *path;            // "GET", "/"
  const char *body; size_t nbody;       // ended by a NUL behind it
  int fd;                               // the connection
} HttpRequest;

// What is sent back. type: "text/html".
typedef struct HttpAnswer { int status; const char *type; Text body; } HttpAnswer;
// False: another process has the connection and answers.
typedef bool HttpHandler(const HttpRequest *r, HttpAnswer *out, void *with);

typedef struct HttpServer { int socket, port; } HttpServer;

bool http_open(HttpServer *s, int port);                   // 0: any that is free; false: errno says why
// For ever. A handler that takes long gives its connection to another process: requests come one after the other.
void http_serve(HttpServer *s, HttpHandler *handle, void *with);
// In that process: sends the answer, and ends the connection.
void http_answer(int fd, const HttpAnswer *a);
