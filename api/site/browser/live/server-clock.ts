/** The service's time in milliseconds since 1970, by what its last answer said: a device's own clock may be wrong. */
let ahead = 0;
let isKnown = false;

/** @param serverMilliseconds the clock of an answer that has just arrived, in whole seconds */
export function setServerClock(serverMilliseconds: number): void {
  const offset = serverMilliseconds - (performance.timeOrigin + performance.now());
  // Answers are dated in whole seconds and by way of a network: small differences are noise.
  if (!isKnown || Math.abs(offset - ahead) > 1500) ahead = offset;
  isKnown = true;
}

export function nowMilliseconds(): number {
  return performance.timeOrigin + performance.now() + ahead;
}
