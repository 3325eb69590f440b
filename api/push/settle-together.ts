import { createQueue } from '../../pipeline/effects/concurrency.ts';
import type { Outbox, Settlement } from '../watches/outbox.ts';

/**
 * Stores each settlement, as a store does it best: what is settled while another transaction is under way goes into the
 * next one together.
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
