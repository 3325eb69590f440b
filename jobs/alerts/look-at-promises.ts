import { type FactsRequest, readServiceFacts } from '../monitoring/service-facts.ts';
import { readAlertMemory } from './alert-memory.ts';
import { type BrokenPromise, type Judgement, judgePromises } from './broken-promises.ts';
import { isFiring, nameKey, type RememberedPromise } from './decide-alerts.ts';

/** Which promises are broken at one instant. */
interface Look extends Judgement {
  readonly nowMilliseconds: number;
}

/** Reads the facts of now, and judges them by the limits of the configuration: what alerts and operators are told. */
export async function lookAtPromises(request: FactsRequest, readFacts = readServiceFacts): Promise<Look> {
  const facts = await readFacts(request);
  return { nowMilliseconds: facts.nowMilliseconds, ...judgePromises(facts, request.config) };
}

/** What operators are shown: what is broken, with what the running service remembers of it. */
export async function lookWithMemory(request: FactsRequest): Promise<{
  readonly broken: readonly (readonly [promise: BrokenPromise, known: RememberedPromise | null])[];
  readonly unknown: Judgement['unknown'];
}> {
  const { nowMilliseconds, broken, unknown } = await lookAtPromises(request);
  const memory = await readAlertMemory(request.config.dataDir);
  const known = broken.map((promise) => [promise, memory[nameKey(promise)] ?? null] as const);
  // One that has to last says nothing before.
  const counts = ([{ afterSeconds }, one]: (typeof known)[number]) =>
    afterSeconds === undefined ||
    (one !== null && isFiring({ ...one, afterSeconds, keptSince: null }, nowMilliseconds));
  return { broken: known.filter(counts), unknown };
}
