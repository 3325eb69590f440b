/** What decides between two plans: moments of leaving and of being there, and how often one changes. */
export interface NaivePlan {
  readonly departure: number;
  readonly arrival: number;
  readonly transfers: number;
}

/** Leave at `time` or later, or be there at `time` or earlier. */
export interface NaiveAskedTime {
  readonly time: number;
  readonly timeMode: 'departure' | 'arrival';
}

/** Whether somebody who asks is better off with one plan than with the other, as a clock without a second hand shows them. */
export function isBetterPlan(one: NaivePlan, other: NaivePlan, asked: NaiveAskedTime): boolean {
  // What is over, or too late, is no help to those who can still have the other.
  if (isInTime(other, asked) && !isInTime(one, asked)) return false;
  const [leaves, otherLeaves] = [Math.floor(one.departure / 60), Math.floor(other.departure / 60)];
  const [ends, otherEnds] = [Math.ceil(one.arrival / 60), Math.ceil(other.arrival / 60)];
  if (leaves < otherLeaves || ends > otherEnds || one.transfers > other.transfers) return false;
  if (leaves > otherLeaves || ends < otherEnds || one.transfers < other.transfers) return true;
  if (!isInTime(other, asked) && isInTime(one, asked)) return true;
  const [takes, otherTakes] = [one.arrival - one.departure, other.arrival - other.departure];
  return takes === otherTakes ? one.departure > other.departure : takes < otherTakes;
}

function isInTime({ departure, arrival }: NaivePlan, { time, timeMode }: NaiveAskedTime): boolean {
  return timeMode === 'departure' ? departure >= time : arrival <= time;
}
