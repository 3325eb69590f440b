/**
 * The newest runs of many series (a train, a pattern), oldest forgotten first. Series are numbers from 0; one beyond
 * those that were expected makes room for itself.
 */
export class RunHistory {
  readonly #capacity: number;
  #runs: Int32Array;
  #count: Int32Array;

  constructor(seriesCount: number, capacity: number) {
    this.#capacity = capacity;
    this.#runs = new Int32Array(seriesCount * capacity);
    this.#count = new Int32Array(seriesCount);
  }

  add(series: number, run: number): void {
    if (series >= this.#count.length) this.#grow(series + 1);
    this.#runs[series * this.#capacity + (this.#count[series]! % this.#capacity)] = run;
    this.#count[series]!++;
  }

  /** How many are held. */
  size(series: number): number {
    return Math.min(this.#count[series] ?? 0, this.#capacity);
  }

  /** @param age 0 is the newest */
  get(series: number, age: number): number {
    return this.#runs[series * this.#capacity + ((this.#count[series]! - 1 - age) % this.#capacity)]!;
  }

  #grow(least: number): void {
    const seriesCount = Math.max(least, 2 * this.#count.length);
    const [runs, count] = [this.#runs, this.#count];
    this.#runs = new Int32Array(seriesCount * this.#capacity);
    this.#count = new Int32Array(seriesCount);
    this.#runs.set(runs);
    this.#count.set(count);
  }
}
