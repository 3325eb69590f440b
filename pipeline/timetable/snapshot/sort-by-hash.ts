/**
 * Rows by hash; rows with one hash in the order of `compare`. Hash and row are sorted as one number, because a call of a
 * function per comparison would take seconds with the keys of a country.
 */
export function sortByHash(hash: Uint32Array, compare: (a: number, b: number) => number): Uint32Array {
  const { length } = hash;
  const pairs = new BigUint64Array(length);
  // Little-endian: the lower half of each number, then the upper one.
  const halves = new Uint32Array(pairs.buffer);
  for (let row = 0; row < length; row++) {
    halves[2 * row] = row;
    halves[2 * row + 1] = hash[row]!;
  }
  pairs.sort();
  const order = Uint32Array.from(hash.keys(), (rank) => halves[2 * rank]!);
  for (let from = 0, end = 1; from < length; from = end, end += 1) {
    while (end < length && hash[order[end]!] === hash[order[from]!]) end += 1;
    if (end - from > 1) order.subarray(from, end).sort((a, b) => compare(a, b) || a - b);
  }
  return order;
}
