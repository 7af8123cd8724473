/**
 * Numbers that the extension and the daemon both count by. Generated from src/protocol: never edit it.
 * After a change there: GSTACK_BLESS=1 cargo test -p gstack-protocol typescript
 */

/** The number of the wire; the daemon compares it. */
export const PROTOCOL = 2;
/** How many messages may wait behind a running turn. */
export const QUEUE_LIMIT = 5;
/** The schemes of addresses that a link in an answer may lead to. */
export const LINK_SCHEMES = ["http", "https"];
