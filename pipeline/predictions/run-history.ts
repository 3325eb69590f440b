/** The newest runs of many series (a train, a pattern), oldest forgotten first. Series are numbers from 0. */
export class RunHistory {
  readonly #capacity: number;
  readonly #runs: Int32Array;
  readonly #count: Int32Array;

  constructor(seriesCount: number, capacity: number) {
    this.#capacity = capacity;
    this.#runs = new Int32Array(seriesCount * capacity);
    this.#count = new Int32Array(seriesCount);
  }

  add(series: number, run: number): void {
    this.#runs[series * this.#capacity + (this.#count[series]! % this.#capacity)] = run;
    this.#count[series]!++;
  }

  /** How many are held. */
  size(series: number): number {
    return Math.min(this.#count[series]!, this.#capacity);
  }

  /** @param age 0 is the newest */
  get(series: number, age: number): number {
    return this.#runs[series * this.#capacity + ((this.#count[series]! - 1 - age) % this.#capacity)]!;
  }
}
