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

/** Whether somebody who asks is better off with one plan than with the other, as a clock without a second hand shows them. */
export function isBetterPlan(one: NaivePlan, other: NaivePlan, query: NaiveRequestedTime): boolean {
  // What is over, or too late, is no help to those who can still have the other.
  if (isInTime(other, query) && !isInTime(one, query)) return false;
  const [leaves, otherLeaves] = [departureMinute(one), departureMinute(other)];
  const [ends, otherEnds] = [arrivalMinute(one), arrivalMinute(other)];
  if (leaves < otherLeaves || ends > otherEnds || one.transfers > other.transfers) return false;
  if (leaves > otherLeaves || ends < otherEnds || one.transfers < other.transfers) return true;
  return !isInTime(other, query) && isInTime(one, query);
}

/** Whether a clock without a second hand shows both alike, and both or neither are of use to somebody who asks. */
export function isEqualPlan(one: NaivePlan, other: NaivePlan, query: NaiveRequestedTime): boolean {
  return (
    departureMinute(one) === departureMinute(other) &&
    arrivalMinute(one) === arrivalMinute(other) &&
    one.transfers === other.transfers &&
    isInTime(one, query) === isInTime(other, query)
  );
}

/** Whether one is on the way for fewer seconds, or for as many and leaves later. */
export function isShorterPlan(one: NaivePlan, other: NaivePlan): boolean {
  const [takes, otherTakes] = [one.arrival - one.departure, other.arrival - other.departure];
  return takes === otherTakes ? one.departure > other.departure : takes < otherTakes;
}

// ---- Equal plans -------------------------------------------------------------------------------

/** One way to carry out a plan. */
export interface NaiveEqualPlan extends NaivePlan {
  /** That every change works out. */
  readonly chance: number;
  /** Walked in all. */
  readonly meters: number;
}

/** Which of two ways is shown if a clock shows both alike; null if they are equal. */
export function pickEqualPlan(one: NaiveEqualPlan, other: NaiveEqualPlan): NaiveEqualPlan | null {
  // The more probable one.
  const [percent, otherPercent] = [one, other].map(({ chance }) => Math.round(chance * 100)) as [number, number];
  if (percent !== otherPercent) return percent > otherPercent ? one : other;
  // Then the one with less walking.
  if (one.meters !== other.meters) return one.meters < other.meters ? one : other;
  // Then the one of fewer seconds, and of these the later.
  if (isShorterPlan(one, other)) return one;
  return isShorterPlan(other, one) ? other : null;
}

// ---- Folded plans ------------------------------------------------------------------------------

/** Whether one plan is reason enough not to show the other: "ten minutes earlier, or one more change, for three minutes". */
function isReasonToFold(one: NaivePlan, other: NaivePlan, query: NaiveRequestedTime): boolean {
  if (isInTime(other, query) && !isInTime(one, query)) return false;
  // The other gains at most three minutes at the end, and nothing else.
  if (arrivalMinute(one) - arrivalMinute(other) > 3) return false;
  if (departureMinute(one) < departureMinute(other) || one.transfers > other.transfers) return false;
  // For that it leaves ten or more minutes earlier, or needs more transfers.
  return departureMinute(one) - departureMinute(other) >= 10 || one.transfers < other.transfers;
}

/** Those that are shown: of each folded one, a reason is shown. @param plans of which none is better than another */
export function withoutFolded<Plan extends NaivePlan>(plans: readonly Plan[], query: NaiveRequestedTime): Plan[] {
  const shown = new Set<Plan>();
  // A reason is there later than what it folds.
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
