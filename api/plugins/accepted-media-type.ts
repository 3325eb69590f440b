/**
 * Chooses the media type that a client prefers by `Accept`. Of types with equal quality, one named explicitly precedes one
 * matched by a wildcard, then the order offered decides. A client that accepts none gets the first: an unacceptable
 * response is more useful than none.
 * @param offered at least one
 * @see RFC 9110, section 12.5.1
 */
export function chooseMediaType(accept: string | undefined, offered: readonly string[]): string {
  const [first = ''] = offered;
  if (accept === undefined || offered.length < 2) return first;
  const ranges = accept.split(',').map(readRange);
  let best = first;
  let bestRank = 0;
  for (const type of offered) {
    const rank = rankType(type, ranges);
    if (rank > bestRank) {
      best = type;
      bestRank = rank;
    }
  }
  return best;
}

interface MediaRange {
  readonly range: string;
  /** 0 (never) to 1. */
  readonly quality: number;
}

function readRange(text: string): MediaRange {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return { range, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

/** 0: not acceptable. The most specific range that matches a type decides. */
function rankType(type: string, ranges: readonly MediaRange[]): number {
  const covering = [type, `${type.split('/')[0]}/*`, '*/*'];
  for (const [generality, name] of covering.entries()) {
    const found = ranges.find(({ range }) => range === name);
    // Quality has three decimals, so specificity only orders types of equal quality.
    if (found) return found.quality === 0 ? 0 : found.quality - generality / 10_000;
  }
  return 0;
}
