/* How much a test repeats: less for each change, more in a run with GSTACK_TEST_LONG=1, as every night. */

/** Returns the first, or the second in a long run. */
export const usualOrLong = (usual, long) => (process.env.GSTACK_TEST_LONG ? long : usual);
