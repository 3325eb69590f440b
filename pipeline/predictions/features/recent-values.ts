/**
 * The last values of many series, also kept sorted, so that a quantile is a look-up. Series are numbers from 0; a
 * number beyond the expected ones enlarges the storage.
 */
export class RecentValues {
  readonly #capacity: number;
  /** In order of arrival, as a ring; and sorted. */
  #ring: Float32Array;
  #sorted: Float32Array;
  #count: Int32Array;
  #next: Int32Array;

  constructor(seriesCount: number, capacity: number) {
    this.#capacity = capacity;
    this.#ring = new Float32Array(seriesCount * capacity);
    this.#sorted = new Float32Array(seriesCount * capacity);
    this.#count = new Int32Array(seriesCount);
    this.#next = new Int32Array(seriesCount);
  }

  add(series: number, given: number): void {
    if (series >= this.#count.length) this.#grow(series + 1);
    // Compared as they are stored.
    const value = Math.fround(given);
    const base = series * this.#capacity;
    const sorted = this.#sorted;
    let count = this.#count[series]!;
    const slot = base + this.#next[series]!;
    if (count === this.#capacity) {
      const oldest = this.#ring[slot]!;
      let place = base;
      while (sorted[place] !== oldest) place++;
      sorted.copyWithin(place, place + 1, base + count);
      count--;
    }
    let place = base + count;
    for (; place > base && sorted[place - 1]! > value; place--) sorted[place] = sorted[place - 1]!;
    sorted[place] = value;
    this.#ring[slot] = value;
    this.#count[series] = count + 1;
    this.#next[series] = (this.#next[series]! + 1) % this.#capacity;
  }

  count(series: number): number {
    return this.#count[series] ?? 0;
  }

  /** @returns NaN for an empty series */
  quantile(series: number, share: number): number {
    const count = this.count(series);
    if (count === 0) return Number.NaN;
    return this.#sorted[series * this.#capacity + Math.floor(share * (count - 1) + 0.5)]!;
  }

  /** @returns the most frequent value, the lowest of equals; NaN for an empty series */
  mostOften(series: number): number {
    const base = series * this.#capacity;
    let best = Number.NaN;
    let most = 0;
    for (let place = 0, times = 0; place < this.count(series); place++) {
      const value = this.#sorted[base + place]!;
      times = place > 0 && this.#sorted[base + place - 1] === value ? times + 1 : 1;
      if (times > most) {
        most = times;
        best = value;
      }
    }
    return best;
  }

  #grow(least: number): void {
    const seriesCount = Math.max(least, 2 * this.#count.length);
    this.#ring = withRoom(this.#ring, new Float32Array(seriesCount * this.#capacity));
    this.#sorted = withRoom(this.#sorted, new Float32Array(seriesCount * this.#capacity));
    this.#count = withRoom(this.#count, new Int32Array(seriesCount));
    this.#next = withRoom(this.#next, new Int32Array(seriesCount));
  }
}

function withRoom<Column extends Float32Array | Int32Array>(column: Column, larger: Column): Column {
  larger.set(column);
  return larger;
}
