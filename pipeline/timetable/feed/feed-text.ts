const COMMA = 0x2c;
const QUOTE = 0x22;
const SPACE = 0x20;
const TAB = 0x09;
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** Quoting in a CSV text. */
export interface QuoteFacts {
  /** Whether any value contains a line end. */
  readonly spanLines: boolean;
  /** Byte position of an unterminated quote, or null. */
  readonly openAt: number | null;
}

/** Tracks quotes in a CSV text with LF line ends, chunk by chunk; text without quotes takes almost no time. */
export function watchQuotes(): { push: (chunk: Buffer) => void; facts: () => QuoteFacts } {
  let bytesBefore = 0;
  let openAt: number | null = null;
  let spanLines = false;
  // A quote at the end of a chunk closes the value, unless the next chunk begins with another quote.
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

/** The last non-blank byte before a position; null when the chunk has none. */
function findSolidByte(chunk: Buffer, before: number): number | null {
  let at = before - 1;
  while (at >= 0 && (chunk[at] === SPACE || chunk[at] === TAB)) at--;
  return at < 0 ? null : chunk[at]!;
}

/** Converts a text chunk by chunk and tracks its quotes. */
interface TextConverter {
  convert(chunk: Buffer): Buffer;
  quotes(): QuoteFacts;
}

/**
 * Converts CRLF and lone CR to LF and tracks quotes: DuckDB refuses a file that mixes line ends, and reads in parallel
 * only where no value spans lines.
 */
export function convertText(): TextConverter {
  const quotes = watchQuotes();
  let endedWithReturn = false;
  return {
    convert(chunk) {
      const isUniform = !endedWithReturn && !chunk.includes(CARRIAGE_RETURN);
      const from = endedWithReturn && chunk[0] === LINE_FEED ? 1 : 0;
      endedWithReturn = chunk.at(-1) === CARRIAGE_RETURN;
      const text = isUniform ? chunk : unifyLineEnds(chunk, from);
      quotes.push(text);
      return text;
    },
    quotes: () => quotes.facts(),
  };
}

function unifyLineEnds(chunk: Buffer, from: number): Buffer {
  const out = Buffer.allocUnsafe(chunk.length);
  let length = 0;
  for (let i = from; i < chunk.length; i++) {
    const byte = chunk[i]!;
    if (byte !== CARRIAGE_RETURN) out[length++] = byte;
    else if (chunk[i + 1] !== LINE_FEED) out[length++] = LINE_FEED;
    // A CR at the very end of the chunk counts as a line end here; its LF, if any, is skipped in the next one.
  }
  return out.subarray(0, length);
}
