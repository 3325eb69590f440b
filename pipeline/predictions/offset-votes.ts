/** Which second of a minute most weight is for. */
export class OffsetVotes {
  readonly #weights = new Float64Array(60);

  clear(): void {
    this.#weights.fill(0);
  }

  add(second: number, weight: number): void {
    this.#weights[second] = this.#weights[second]! + weight;
  }

  /** @returns the second with most weight, the earliest of equals; `otherwise` where nobody voted */
  winner(otherwise: number): number {
    let best = -1;
    let most = 0;
    for (let second = 0; second < 60; second++) {
      if (this.#weights[second]! > most) {
        most = this.#weights[second]!;
        best = second;
      }
    }
    return best < 0 ? otherwise : best;
  }
}
