/** Later than any time. */
export const NEVER = 0x3fffffff;
/** A reusable list of numbers. `clear` retains the memory, so that searches create no garbage. */
export class IntList {
  items = new Int32Array(256);
  length = 0;

  push(value: number): void {
    if (this.length === this.items.length) this.grow();
    this.items[this.length++] = value;
  }

  clear(): void {
    this.length = 0;
  }

  private grow(): void {
    const larger = new Int32Array(this.items.length * 2);
    larger.set(this.items);
    this.items = larger;
  }
}
