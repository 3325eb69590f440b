/** A good answer as it was sent, so that sending it again costs no engine and no serialisation. */
export interface CachedAnswer {
  readonly bytes: Buffer;
  readonly mediaType: string;
}

export interface AnswerCache {
  find(tag: string): CachedAnswer | null;
  keep(tag: string, answer: CachedAnswer): void;
  readonly bytesHeld: number;
}

/** What an entry costs beside its bytes: the key, the map's slot, the buffer's own object. */
const ENTRY_OVERHEAD_BYTES = 400;

/**
 * Keeps answers by entity tag, the least recently sent out first. A tag names its bytes for ever, so nothing ever
 * has to be invalidated: answers of older data are simply no longer asked for.
 * @param limitBytes 0 keeps nothing
 */
export function createAnswerCache(limitBytes: number): AnswerCache {
  // A Map lists its keys in the order of their insertion: the first one is the one not asked for longest.
  const answers = new Map<string, CachedAnswer>();
  let bytesHeld = 0;

  const drop = (tag: string, answer: CachedAnswer) => {
    answers.delete(tag);
    bytesHeld -= answer.bytes.length + ENTRY_OVERHEAD_BYTES;
  };

  return {
    find(tag) {
      const answer = answers.get(tag);
      if (!answer) return null;
      answers.delete(tag);
      answers.set(tag, answer);
      return answer;
    },
    keep(tag, answer) {
      const known = answers.get(tag);
      if (known) drop(tag, known);
      const size = answer.bytes.length + ENTRY_OVERHEAD_BYTES;
      // One huge answer must not push out everything else.
      if (size > limitBytes / 4) return;
      answers.set(tag, answer);
      bytesHeld += size;
      for (const [oldestTag, oldest] of answers) {
        if (bytesHeld <= limitBytes) break;
        drop(oldestTag, oldest);
      }
    },
    get bytesHeld() {
      return bytesHeld;
    },
  };
}
