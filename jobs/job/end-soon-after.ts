/**
 * Returns the result of the work. After an abort it still waits for the time of grace.
 * @throws the reason of `stopping` at the end of that time, if the work has not ended
 */
export async function endSoonAfter<Result>(
  work: Promise<Result>,
  stopping: AbortSignal | undefined,
  graceMilliseconds: number,
): Promise<Result> {
  if (!stopping) return work;
  let giveUp = () => {};
  const grace = new Promise<never>((_resolve, reject) => {
    // Real time, even where a replay's clock runs faster.
    giveUp = () => setTimeout(() => reject(stopping.reason), graceMilliseconds).unref();
  });
  if (stopping.aborted) giveUp();
  else stopping.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([work, grace]);
  } finally {
    // The signal lives as long as the process: without this, each run would leave a listener on it.
    stopping.removeEventListener('abort', giveUp);
  }
}
