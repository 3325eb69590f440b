/** A fifth: what nobody planned may not take the boards their requests. */
const AREA_SHARE = 5;

/** Of a day's requests those that areas of the map on demand may take, at most. */
export function areaBudget(dailyBudget: number): number {
  return Math.floor(dailyBudget / AREA_SHARE);
}
