/** A fifth: requests for map areas, which come on demand, must not use up the budget of the boards. */
const AREA_SHARE = 5;

/** The most requests of a day's budget that map areas on demand may use. */
export function areaBudget(dailyBudget: number): number {
  return Math.floor(dailyBudget / AREA_SHARE);
}
