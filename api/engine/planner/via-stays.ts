import type { PlanQuery, ViaStay } from './itinerary.ts';
import { REACHED, rowOf, setReady } from './labels.ts';
import type { Passage } from './passages.ts';
import { isBlockedAt, type Search } from './search.ts';
import { NO_TRANSFER } from './transfer-seconds.ts';

// A via with a minimum stay is not passed on board. It is passed by a transfer between two of its stops, which then takes
// at least as long as the stay; by a transfer to or from one of its stops, which takes the stay and the transfer; or on
// foot, by leaving it after the stay.

/** Returns the minimum stay at a numbered place of the query, in travel order; 0 at its ends. */
export function getStaySeconds({ viaStaySeconds }: Pick<PlanQuery, 'viaStaySeconds'>, place: number): number {
  return viaStaySeconds?.[place - 1] ?? 0;
}

/** Returns the stay before a walk that leaves a numbered place. */
export function findStay(query: Pick<PlanQuery, 'viaStaySeconds'>, place: number): { readonly stay?: ViaStay } {
  const seconds = getStaySeconds(query, place);
  return seconds === 0 ? {} : { stay: { seconds, isBefore: true } };
}

/**
 * Returns the seconds to add to a transfer, so that the traveller stays at the via long enough.
 * @param transferSeconds of the transfer without a stay
 * @param from transfer place, @param to transfer place
 * @returns null if neither is at the via
 */
export function findAddedStay(
  { staySeconds, isMember }: Pick<Passage, 'staySeconds' | 'isMember'>,
  transferSeconds: number,
  from: number,
  to: number,
): ViaStay | null {
  const [isFrom, isTo] = [isMember[from] === 1, isMember[to] === 1];
  if (staySeconds === 0 || !(isFrom || isTo)) return null;
  const seconds = isFrom && isTo ? Math.max(0, staySeconds - transferSeconds) : staySeconds;
  return { seconds, isBefore: isFrom && !isTo };
}

/** Passes the via of a layer by transfers with a stay from all places whose arrival improved in this round. */
export function transferWithStay({ task, labels }: Search, layer: number, round: number): void {
  const via = task.vias[layer]!;
  if (via.staySeconds === 0) return;
  const { transferStarts, transferOrder, transferFrom, transferTo } = task.direction;
  const row = rowOf(labels, layer, round);
  const { items: improved, length } = labels.improved;
  for (let at = 0; at < length; at++) {
    const left = improved[at]!;
    for (let i = transferStarts[left]!; i < transferStarts[left + 1]!; i++) {
      const transfer = transferOrder === null ? i : transferOrder[i]!;
      const seconds = task.transferSeconds[transfer]!;
      const place = transferTo[transfer]!;
      if (seconds === NO_TRANSFER || isBlockedAt(task, place)) continue;
      const stay = findAddedStay(via, seconds, transferFrom[transfer]!, place);
      if (stay === null) continue;
      const time = labels.reach[row + left]! + seconds + stay.seconds;
      setReady(labels, layer + 1, round, place, time, REACHED.stay - transfer, labels.markedNext[layer + 1]!);
    }
  }
}
