const LINE_FEED = 0x0a;
const COMMA = 0x2c;
const QUOTE = 0x22;
const SPACE = 0x20;
const TAB = 0x09;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** What the quotes of a CSV text do to its lines. */
export interface QuoteFacts {
  /** Whether any value holds a line end. */
  readonly spanLines: boolean;
  /** Byte at which a quote begins that never ends; null when all of them do. */
  readonly openAt: number | null;
}

/** Follows the quotes of a CSV text whose lines end in LF, chunk by chunk; text without quotes costs next to nothing. */
export function watchQuotes(): { push: (chunk: Buffer) => void; facts: () => QuoteFacts } {
  let bytesBefore = 0;
  let openAt: number | null = null;
  let spanLines = false;
  // A quote at the end of a chunk ends its value, unless the next chunk begins with another one.
  let isUndecided = false;
  let lastSolidByte = LINE_FEED;

  const pushClosing = (chunk: Buffer, from: number): number => {
    const quote = chunk.indexOf(QUOTE, from);
    const lineEnd = spanLines ? -1 : chunk.indexOf(LINE_FEED, from);
    if (lineEnd >= 0 && (quote < 0 || lineEnd < quote)) spanLines = true;
    if (quote < 0) return chunk.length;
    if (quote === chunk.length - 1) isUndecided = true;
    else if (chunk[quote + 1] === QUOTE) return quote + 2;
    else openAt = null;
    return quote + 1;
  };
  const pushOpening = (chunk: Buffer, from: number): number => {
    const quote = chunk.indexOf(QUOTE, from);
    if (quote < 0) return chunk.length;
    const before = findSolidByte(chunk, quote) ?? lastSolidByte;
    const isFirst = bytesBefore === 0 && chunk.subarray(0, quote).equals(BYTE_ORDER_MARK);
    if (before === COMMA || before === LINE_FEED || isFirst) openAt = bytesBefore + quote;
    return quote + 1;
  };
  return {
    push: (chunk) => {
      if (chunk.length === 0) return;
      let at = 0;
      if (isUndecided) {
        isUndecided = false;
        if (chunk[0] === QUOTE) at = 1;
        else openAt = null;
      }
      while (at < chunk.length) at = openAt === null ? pushOpening(chunk, at) : pushClosing(chunk, at);
      lastSolidByte = findSolidByte(chunk, chunk.length) ?? lastSolidByte;
      bytesBefore += chunk.length;
    },
    facts: () => ({ spanLines, openAt: isUndecided ? null : openAt }),
  };
}

/** The last byte before a place that is no blank; null when there is none in the chunk. */
function findSolidByte(chunk: Buffer, before: number): number | null {
  let at = before - 1;
  while (at >= 0 && (chunk[at] === SPACE || chunk[at] === TAB)) at--;
  return at < 0 ? null : chunk[at]!;
}
