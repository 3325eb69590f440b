/** Replaces `/v2` in the paths of POST requests that the API documentation sends. */
export const TRY_DATA = '/site/data/try';

/**
 * Finds the path to which a page of this service can send a request of the API: browsers send Origin with POST, and /v2
 * refuses that.
 * @param address absolute
 */
export function findTryPath(method: string, address: string): string {
  const { pathname, search } = new URL(address);
  return (method.toUpperCase() === 'POST' ? pathname.replace(/^\/v2\//, `${TRY_DATA}/`) : pathname) + search;
}
