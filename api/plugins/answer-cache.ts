import { createDoorkeeper } from './doorkeeper.ts';

/** A successful response as sent; sending it again needs neither the engine nor serialisation. */
export interface CachedAnswer {
  readonly bytes: Buffer;
  readonly mediaType: string;
}

export interface AnswerCache {
  find(tag: string): CachedAnswer | null;
  /** Stores a response that takes long to make. */
  keep(tag: string, answer: CachedAnswer): void;
  /**
   * Stores a response that is made quickly; once the cache is full, only from the second time on. Storing and evicting
   * each of many responses that are requested once takes longer than making some of them twice, and would evict those that
   * are requested often.
   */
  keepIfRepeated(tag: string, answer: CachedAnswer): void;
  readonly bytesHeld: number;
}

/** Memory overhead of an entry: the key, the map slot, the buffer object. */
const ENTRY_OVERHEAD_BYTES = 400;

/**
 * Caches responses by entity tag and evicts the least recently sent. A tag always identifies the same bytes, so entries
 * are never invalidated: responses from older data are simply no longer requested.
 * @param limitBytes 0 disables the cache
 */
export function createAnswerCache(limitBytes: number): AnswerCache {
  // A Map iterates in insertion order: the first key is the least recently used.
  const answers = new Map<string, CachedAnswer>();
  const doorkeeper = createDoorkeeper();
  let bytesHeld = 0;

  const drop = (tag: string, answer: CachedAnswer) => {
    answers.delete(tag);
    bytesHeld -= sizeOf(answer);
  };

  const keep = (tag: string, answer: CachedAnswer) => {
    const known = answers.get(tag);
    if (known) drop(tag, known);
    const size = sizeOf(answer);
    // One huge response must not evict everything else.
    if (size > limitBytes / 4) return;
    answers.set(tag, answer);
    bytesHeld += size;
    for (const [oldestTag, oldest] of answers) {
      if (bytesHeld <= limitBytes) break;
      drop(oldestTag, oldest);
    }
  };

  return {
    find(tag) {
      const answer = answers.get(tag);
      if (!answer) return null;
      answers.delete(tag);
      answers.set(tag, answer);
      return answer;
    },
    keep,
    keepIfRepeated(tag, answer) {
      const isFull = bytesHeld + sizeOf(answer) > limitBytes;
      if (!isFull || doorkeeper.sawBefore(tag)) keep(tag, answer);
    },
    get bytesHeld() {
      return bytesHeld;
    },
  };
}

function sizeOf({ bytes }: CachedAnswer): number {
  return bytes.length + ENTRY_OVERHEAD_BYTES;
}
