/**
 * Runs a task on each item, several at a time and in order. After a failure no further item begins.
 * @throws the first failure, when the running items have ended
 */
export async function runInLanes<Item>(
  items: readonly Item[],
  lanes: number,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const runLane = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        await task(item);
      } catch (error) {
        waiting.length = 0;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(lanes, items.length) }, runLane));
  for (const lane of ended) if (lane.status === 'rejected') throw lane.reason;
}
