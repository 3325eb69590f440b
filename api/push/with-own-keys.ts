import type { Log } from '../../pipeline/effects/log.ts';
import type { KeyFingerprints, KeyRegister, Outbox } from '../watches/outbox.ts';

/**
 * An outbox that has nothing for a replica whose VAPID key is another one than that of the store: a push service refuses
 * its pushes, and the event would be lost. A replica with the right key sends them. Keys that differ are logged once.
 */
export function withOwnKeys(outbox: Outbox & KeyRegister, keys: KeyFingerprints, log: Log): Outbox {
  let logged = '';
  return {
    async claim(now, limit) {
      const differing = await outbox.confirmKeys(keys);
      const sentence = describeKeys(differing);
      if (sentence !== logged && sentence !== '') log.warn(sentence);
      if (sentence !== logged && sentence === '') log.info('the keys are those of the other replicas again');
      logged = sentence;
      return differing.includes('watches.vapidKey') ? [] : outbox.claim(now, limit);
    },
    settle: (settlements) => outbox.settle(settlements),
  };
}

/** @returns what is the matter and what to do; empty where no key differs */
function describeKeys(differing: Awaited<ReturnType<KeyRegister['confirmKeys']>>): string {
  if (differing.length === 0) return '';
  const effect = differing.includes('watches.vapidKey') ? '; pushes are left to replicas with the right one' : '';
  return `${differing.join(' and ')}: not as the other replicas have it${effect}; set the same everywhere (docs/watches.md)`;
}
