/** The probability of log odds. */
export function toChance(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}
