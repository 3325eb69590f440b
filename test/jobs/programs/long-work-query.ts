/** A statement that would take most of an hour. */
export const LONG_QUERY = 'select count(*) from range(2000000000) a, range(1000) b where hash(a.range + b.range) = 0';

/**
 * Work that keeps a thread busy when it is stopped: a query, which can be interrupted, or a computation, which cannot.
 */
export type Work = 'query' | 'query after the grace' | 'computation';
