/**
 * The bags of McRAPTOR: for each key, the labels of which none dominates another.
 * @see Delling, Pajor, Werneck, "Round-Based Public Transit Routing", doi 10.1287/trsc.2014.0534, section 4
 */
export class Bag<Key, Label extends Criteria, Criteria = Label> {
  readonly #byKey = new Map<Key, Label[]>();
  readonly #dominates: (one: Criteria, other: Criteria) => boolean;

  /** @param dominates also true for equal criteria: of equal labels, the first one stays */
  constructor(dominates: (one: Criteria, other: Criteria) => boolean) {
    this.#dominates = dominates;
  }

  /** Whether a label of the key dominates these criteria. */
  dominates(key: Key, criteria: Criteria): boolean {
    const labels = this.#byKey.get(key);
    if (labels) for (const label of labels) if (this.#dominates(label, criteria)) return true;
    return false;
  }

  /** Adds a label and drops those that it dominates. @returns false if another one dominates it */
  add(key: Key, label: Label): boolean {
    const labels = this.#byKey.get(key);
    if (!labels) {
      this.#byKey.set(key, [label]);
      return true;
    }
    if (this.dominates(key, label)) return false;
    let count = 0;
    for (const other of labels) if (!this.#dominates(label, other)) labels[count++] = other;
    labels.length = count;
    labels.push(label);
    return true;
  }

  /** Whether the label was added and no later one dominates it. */
  has(key: Key, label: Label): boolean {
    return this.#byKey.get(key)?.includes(label) ?? false;
  }

  list(): Label[] {
    return [...this.#byKey.values()].flat();
  }
}
