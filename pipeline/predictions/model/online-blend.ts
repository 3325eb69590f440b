/** Start of a blend: a weight for each expert; what is left over belongs to persistence. */
type StartWeights = readonly number[];

/** How many seconds of regret the start weights are worth: after some dozen outcomes, the outcomes decide. */
const START_REGRET = 150;
const START_VARIANCE = 1500;

/**
 * Mixes the changes of delay that several experts expect, by how well each would have served so far. Persistence, which
 * expects no change, is always among them. The weights are those of polynomially weighted averaging with a separate
 * rate for each expert (ML-Poly): no rate has to be chosen, and the mean error exceeds that of the best fixed mixture,
 * and so that of persistence, by less and less.
 * @see Gaillard, Stoltz, van Erven: A second-order bound with excess losses, COLT 2014
 */
export class OnlineBlend {
  readonly #width: number;
  readonly #start: Float64Array;
  /** By group and expert, persistence last. */
  readonly #regret: Float64Array;
  readonly #variance: Float64Array;
  readonly #weights: Float64Array;

  constructor(groupCount: number, start: StartWeights) {
    const rest = Math.max(0, 1 - start.reduce((sum, weight) => sum + weight, 0));
    this.#start = Float64Array.of(...start, rest);
    this.#width = this.#start.length;
    this.#regret = new Float64Array(groupCount * this.#width);
    this.#variance = new Float64Array(groupCount * this.#width).fill(START_VARIANCE);
    this.#weights = new Float64Array(groupCount * this.#width);
    for (let place = 0; place < this.#regret.length; place++) {
      this.#weights[place] = this.#start[place % this.#width]!;
      this.#regret[place] = START_REGRET * this.#weights[place]!;
    }
  }

  /** The weight of an expert in a group. */
  weight(group: number, expert: number): number {
    return this.#weights[group * this.#width + expert]!;
  }

  /**
   * The mixed change of delay; seconds.
   * @param changes of all experts, row after row
   * @param from place of the first expert of the row
   */
  mix(group: number, changes: Float32Array, from: number): number {
    let sum = 0;
    for (let expert = 0; expert < this.#width - 1; expert++) {
      sum += this.#weights[group * this.#width + expert]! * changes[from + expert]!;
    }
    return sum;
  }

  /** Learns from the change that took place. */
  learn(group: number, changes: Float32Array, from: number, change: number): void {
    const mixed = this.mix(group, changes, from);
    const slope = Math.sign(mixed - change);
    if (slope === 0) return;
    const base = group * this.#width;
    let total = 0;
    for (let expert = 0; expert < this.#width; expert++) {
      const own = expert < this.#width - 1 ? changes[from + expert]! : 0;
      const gained = slope * (mixed - own);
      this.#regret[base + expert] = this.#regret[base + expert]! + gained;
      this.#variance[base + expert] = this.#variance[base + expert]! + gained * gained;
      total += this.#pull(base + expert);
    }
    for (let expert = 0; expert < this.#width; expert++) {
      this.#weights[base + expert] = total > 0 ? this.#pull(base + expert) / total : this.#start[expert]!;
    }
  }

  #pull(place: number): number {
    return Math.max(0, this.#regret[place]!) / this.#variance[place]!;
  }
}
