/** The criteria between two plans: departure, arrival, and number of transfers. */
export interface NaivePlan {
  readonly departure: number;
  readonly arrival: number;
  readonly transfers: number;
}

/** Leave at `time` or later, or be there at `time` or earlier. */
export interface NaiveRequestedTime {
  readonly time: number;
  readonly timeMode: 'departure' | 'arrival';
}

/** Whether one plan is better for the traveller than another, in whole minutes. */
export function isBetterPlan(one: NaivePlan, other: NaivePlan, query: NaiveRequestedTime): boolean {
  // A plan that has already left, or arrives too late, cannot beat one that is still usable.
  if (isInTime(other, query) && !isInTime(one, query)) return false;
  const [leaves, otherLeaves] = [departureMinute(one), departureMinute(other)];
  const [ends, otherEnds] = [arrivalMinute(one), arrivalMinute(other)];
  if (leaves < otherLeaves || ends > otherEnds || one.transfers > other.transfers) return false;
  if (leaves > otherLeaves || ends < otherEnds || one.transfers < other.transfers) return true;
  return !isInTime(other, query) && isInTime(one, query);
}

/** Whether two plans are equal in whole minutes, and both or neither can still be used. */
export function isEqualPlan(one: NaivePlan, other: NaivePlan, query: NaiveRequestedTime): boolean {
  return (
    departureMinute(one) === departureMinute(other) &&
    arrivalMinute(one) === arrivalMinute(other) &&
    one.transfers === other.transfers &&
    isInTime(one, query) === isInTime(other, query)
  );
}

/** Whether a plan takes fewer seconds, or equally many and leaves later. */
export function isShorterPlan(one: NaivePlan, other: NaivePlan): boolean {
  const [takes, otherTakes] = [one.arrival - one.departure, other.arrival - other.departure];
  return takes === otherTakes ? one.departure > other.departure : takes < otherTakes;
}

// ---- Equal plans -------------------------------------------------------------------------------

/** One way to make the trips of a plan. */
export interface NaiveEqualPlan extends NaivePlan {
  /** Probability that every transfer is made. */
  readonly chance: number;
  /** Total walking distance. */
  readonly meters: number;
}

/** Which of two ways is shown if they are equal in whole minutes; null if they are equal in everything. */
export function pickEqualPlan(one: NaiveEqualPlan, other: NaiveEqualPlan): NaiveEqualPlan | null {
  // The more probable one.
  const [percent, otherPercent] = [one, other].map(({ chance }) => Math.round(chance * 100)) as [number, number];
  if (percent !== otherPercent) return percent > otherPercent ? one : other;
  // Then the one with less walking.
  if (one.meters !== other.meters) return one.meters < other.meters ? one : other;
  // Then the one that takes fewer seconds, and of these the later one.
  if (isShorterPlan(one, other)) return one;
  return isShorterPlan(other, one) ? other : null;
}

// ---- Folded plans ------------------------------------------------------------------------------

/** Whether a plan is a reason to fold another: "ten minutes earlier, or one more transfer, for three minutes". */
function isReasonToFold(one: NaivePlan, other: NaivePlan, query: NaiveRequestedTime): boolean {
  if (isInTime(other, query) && !isInTime(one, query)) return false;
  // The other plan arrives at most three minutes earlier, and has no other advantage.
  if (arrivalMinute(one) - arrivalMinute(other) > 3) return false;
  if (departureMinute(one) < departureMinute(other) || one.transfers > other.transfers) return false;
  // In return it leaves at least ten minutes earlier, or needs more transfers.
  return departureMinute(one) - departureMinute(other) >= 10 || one.transfers < other.transfers;
}

/**
 * Removes folded plans; of each folded plan, a plan that is a reason to fold it is kept.
 * @param plans of which none is better than another
 */
export function withoutFolded<Plan extends NaivePlan>(plans: readonly Plan[], query: NaiveRequestedTime): Plan[] {
  const shown = new Set<Plan>();
  // A plan arrives later than those that it folds.
  for (const plan of [...plans].sort((a, b) => arrivalMinute(b) - arrivalMinute(a))) {
    if (![...shown].some((reason) => isReasonToFold(reason, plan, query))) shown.add(plan);
  }
  return plans.filter((plan) => shown.has(plan));
}

export function departureMinute({ departure }: NaivePlan): number {
  return Math.floor(departure / 60);
}

export function arrivalMinute({ arrival }: NaivePlan): number {
  return Math.ceil(arrival / 60);
}

function isInTime({ departure, arrival }: NaivePlan, { time, timeMode }: NaiveRequestedTime): boolean {
  return timeMode === 'departure' ? departure >= time : arrival <= time;
}
