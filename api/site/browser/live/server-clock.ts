/** Offset to the time of the service, from its last response, because the clock of the device may be wrong. */
let ahead = 0;
let isKnown = false;

/** @param serverMilliseconds time in a response that has just arrived, in whole seconds */
export function setServerClock(serverMilliseconds: number): void {
  const offset = serverMilliseconds - (performance.timeOrigin + performance.now());
  // Response dates are whole seconds and delayed by the network, so small differences are noise.
  if (!isKnown || Math.abs(offset - ahead) > 1500) ahead = offset;
  isKnown = true;
}

export function nowMilliseconds(): number {
  return performance.timeOrigin + performance.now() + ahead;
}
