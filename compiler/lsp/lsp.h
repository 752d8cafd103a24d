// nsm lsp: a server of the Language Server Protocol 3.17 over two streams (docs/editors.md).
#pragma once

// Serves until `exit`, or until the editor goes away. Returns the exit code: 0 after `shutdown`, else 1.
int lsp_serve(int in, int out);
