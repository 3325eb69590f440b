import { type FactsRequest, readServiceFacts } from '../monitoring/service-facts.ts';
import { type Judgement, judgePromises } from './broken-promises.ts';

/** Which promises are broken at one moment. */
interface Look extends Judgement {
  readonly nowMilliseconds: number;
}

/** Reads the facts of now, and judges them by the limits of the configuration: what alerts and operators are told. */
export async function lookAtPromises(request: FactsRequest): Promise<Look> {
  const facts = await readServiceFacts(request);
  return { nowMilliseconds: facts.nowMilliseconds, ...judgePromises(facts, request.config) };
}
