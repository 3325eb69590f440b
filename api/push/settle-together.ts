import { createQueue } from '../../pipeline/effects/concurrency.ts';
import type { Outbox, Settlement } from '../watches/outbox.ts';

/**
 * Batches settlements for the store: those that arrive during a transaction are stored together by the next one.
 */
export function settleTogether(outbox: Outbox): (settlement: Settlement) => Promise<void> {
  let waiting: Settlement[] = [];
  let next: Promise<void> | null = null;
  const inTurn = createQueue();
  const settle = () => {
    const settlements = waiting;
    waiting = [];
    next = null;
    return outbox.settle(settlements);
  };
  return (settlement) => {
    waiting.push(settlement);
    if (next) return next;
    next = inTurn(settle);
    return next;
  };
}
