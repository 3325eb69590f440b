/** Lets tasks run one after the other, in the order in which they were handed in; a failed one does not stop the next. */
export function oneAtATime(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const run = last.then(task, task);
    last = run;
    return run;
  };
}
