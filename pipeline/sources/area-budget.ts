/** A fifth: on-demand requests for map areas must not use up the budget of the boards. */
const AREA_SHARE = 5;

/** Maximum share of the daily budget for on-demand map areas, in requests. */
export function areaBudget(dailyBudget: number): number {
  return Math.floor(dailyBudget / AREA_SHARE);
}
