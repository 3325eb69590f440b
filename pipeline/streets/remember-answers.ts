import { createHash } from 'node:crypto';
import { createRecentMap } from '../model/recent-map.ts';
import type { StreetEngine } from './street-engine.ts';

/** Maximum number of remembered answers. A matrix of 400 places takes 30 kB, a path 4 kB; together about 10 MB. */
const MAX_ANSWERS = 1500;

/**
 * Remembers recent answers of an engine, whose streets never change. Pages of the same trip search measure the same ways,
 * and most trips of a city share places of transfer. Errors are not remembered.
 */
export function rememberAnswers(engine: StreetEngine, maxAnswers = MAX_ANSWERS): StreetEngine {
  const known = createRecentMap<string, string>(maxAnswers);
  return {
    async request(action, query) {
      const key = createHash('sha256').update(action).update(query).digest('base64');
      const remembered = known.get(key);
      if (remembered !== undefined) return remembered;
      const answer = await engine.request(action, query);
      known.set(key, answer);
      return answer;
    },
  };
}
