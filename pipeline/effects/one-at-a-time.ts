/** Runs tasks one after the other, in the order in which they were given; one that fails does not hold up the next. */
export type InTurn = <Result>(task: () => Promise<Result>) => Promise<Result>;

export function oneAtATime(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const next = last.then(task, task);
    last = next.catch(() => {});
    return next;
  };
}
