/*
 * WebMCP: whether this browser lets the page offer tools to agents.
 *
 * Owns the question. The browser lists and calls the tools itself.
 */

/** Pages have the interface only in secure contexts. */
function offersTools() {
  return { present: 'modelContext' in Document.prototype || 'modelContext' in Navigator.prototype, secure: isSecureContext };
}
