/** Initial weight of each expert; persistence has the rest up to 1. */
type StartWeights = readonly number[];

/**
 * Initial regret of an expert with weight 1, in seconds, and initial sum of squared regrets. With these, some dozens of
 * outcomes outweigh the initial weights.
 */
const START_REGRET = 150;
const START_VARIANCE = 1500;

/**
 * Weighted mean of several experts' estimates of the change of delay. Outcomes raise the weights of experts with smaller
 * errors. Persistence, which estimates no change, is always among them. The weights are those of polynomially weighted
 * averaging with a separate learning rate for each expert (ML-Poly). It has no rate to tune, and its mean error is at
 * most that of the best fixed weights, and so that of persistence, plus an amount that tends to 0.
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
   * The weighted mean of the estimates; seconds.
   * @param changes estimates of all experts, row after row
   * @param from index of the first estimate of the row
   */
  mix(group: number, changes: Float32Array, from: number): number {
    let sum = 0;
    for (let expert = 0; expert < this.#width - 1; expert++) {
      sum += this.#weights[group * this.#width + expert]! * changes[from + expert]!;
    }
    return sum;
  }

  /** Updates the weights by the observed change. */
  learn(group: number, changes: Float32Array, from: number, change: number): void {
    const mixed = this.mix(group, changes, from);
    const slope = Math.sign(mixed - change);
    if (slope === 0) return;
    const base = group * this.#width;
    let total = 0;
    for (let expert = 0; expert < this.#width; expert++) {
      const estimate = expert < this.#width - 1 ? changes[from + expert]! : 0;
      const regret = slope * (mixed - estimate);
      this.#regret[base + expert] = this.#regret[base + expert]! + regret;
      this.#variance[base + expert] = this.#variance[base + expert]! + regret * regret;
      total += this.#share(base + expert);
    }
    for (let expert = 0; expert < this.#width; expert++) {
      this.#weights[base + expert] = total > 0 ? this.#share(base + expert) / total : this.#start[expert]!;
    }
  }

  /** The weight before all are divided by their sum. */
  #share(place: number): number {
    return Math.max(0, this.#regret[place]!) / this.#variance[place]!;
  }
}
