/** Appends a query to the path of a data route, which does not read a plus as a space. */
export function toDataPath(path: string, query: URLSearchParams): string {
  return `${path}?${query.toString().replaceAll('+', '%20')}`;
}
