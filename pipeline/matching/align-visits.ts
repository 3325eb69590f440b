/** A call of a trip that a call of a report may be. */
export interface Visit {
  readonly position: number;
  /** The report's own number names another one. */
  readonly isDoubtful: boolean;
  /** How far it is from what the report says; at most some days. */
  readonly seconds: number;
}

/** Rank of a placed call: more than a trip has calls, so that no number of doubts outweighs a call. */
const PLACED = 1_000_000;

/** How a call is placed best before a position of the trip; 0 where it is left out. */
const PLACED_EARLIER = 1;
const PLACED_HERE = 2;

/**
 * Chooses a visit for each call of a report, so that positions rise: as many calls as possible, then as few doubtful
 * visits, then as little distance in sum; of equals the earlier call, then the earlier visit.
 * @param visits by call, each call's of different positions
 * @param callCount of the trip
 * @returns positions by call, -1 for one that has none
 */
export function alignVisits(visits: readonly (readonly Visit[])[], callCount: number): Int32Array {
  const width = callCount + 1;
  const choices = new Uint8Array(visits.length * width);
  let rank = new Float64Array(width);
  let seconds = new Float64Array(width);
  for (const [i, options] of visits.entries()) {
    const byPosition = new Map(options.map((visit) => [visit.position, visit]));
    const nextRank = rank.slice();
    const nextSeconds = seconds.slice();
    const improve = (end: number, newRank: number, newSeconds: number, choice: number) => {
      const isBetter = newRank > nextRank[end]! || (newRank === nextRank[end]! && newSeconds < nextSeconds[end]!);
      if (!isBetter) return;
      nextRank[end] = newRank;
      nextSeconds[end] = newSeconds;
      choices[i * width + end] = choice;
    };
    for (let end = 1; end < width; end++) {
      improve(end, nextRank[end - 1]!, nextSeconds[end - 1]!, PLACED_EARLIER);
      const visit = byPosition.get(end - 1);
      if (!visit) continue;
      const newRank = rank[end - 1]! + PLACED - Number(visit.isDoubtful);
      improve(end, newRank, seconds[end - 1]! + visit.seconds, PLACED_HERE);
    }
    rank = nextRank;
    seconds = nextSeconds;
  }
  return followChoices(choices, visits.length, width);
}

function followChoices(choices: Uint8Array, callCount: number, width: number): Int32Array {
  const positions = new Int32Array(callCount).fill(-1);
  let end = width - 1;
  for (let i = callCount - 1; i >= 0; i--) {
    while (choices[i * width + end] === PLACED_EARLIER) end--;
    if (choices[i * width + end] !== PLACED_HERE) continue;
    end--;
    positions[i] = end;
  }
  return positions;
}
