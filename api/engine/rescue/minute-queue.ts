/** Items by a number of minutes, the smallest first; of equal ones, the first that was put there. */
export interface MinuteQueue<Item> {
  /** An item for a minute that has passed counts as one of the present minute. */
  push(minute: number, item: Item): void;
  /** Takes the next item; undefined if there is none. */
  pop(): Item | undefined;
  /** Of the item that was taken last. */
  minute(): number;
}

export function createMinuteQueue<Item>(): MinuteQueue<Item> {
  const queue: Item[][] = [];
  let present = 0;
  let taken = 0;
  return {
    push(minute, item) {
      const at = Math.max(present, minute);
      queue[at] ??= [];
      queue[at].push(item);
    },
    pop() {
      while (present < queue.length) {
        const items = queue[present];
        if (items && taken < items.length) return items[taken++];
        delete queue[present];
        present++;
        taken = 0;
      }
      return undefined;
    },
    minute: () => present,
  };
}
