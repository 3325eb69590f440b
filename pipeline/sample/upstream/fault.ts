/**
 * How an upstream can fail, each as it was seen in the wild:
 * - `status503`: overloaded; `hang`: takes the request and never answers; `reset`: the connection breaks
 * - `slowDrip`: a byte at a time; `hugeBody`: an answer that never ends; `redirectLoop`: sends on to itself
 * - `truncated`: the answer is cut; clean when the length says so too, else the length promises more
 * - `html`: 200 with a page for people
 * - `oldTimestamps`, `futureTimestamps`: all of it tells of another moment
 * - `frozen`: it goes on telling of the moment at which the fault began
 */
export type Fault =
  | { readonly kind: 'status503' | 'hang' | 'reset' | 'hugeBody' | 'redirectLoop' | 'html' | 'frozen' }
  | { readonly kind: 'slowDrip'; readonly millisecondsPerByte: number }
  | { readonly kind: 'truncated'; readonly afterBytes: number; readonly isClean: boolean }
  | { readonly kind: 'oldTimestamps' | 'futureTimestamps'; readonly seconds: number };

const DEFAULT_DRIP_MILLISECONDS = 200;
const DEFAULT_CUT_BYTES = 100;
const DEFAULT_SHIFT_SECONDS = 3 * 3600;

/**
 * Reads a fault as people write it, `{"kind": "truncated", "afterBytes": 10}`; what is left out has a default.
 * @throws RangeError with words for people
 */
export function parseFault(value: unknown): Fault {
  if (typeof value !== 'object' || value === null) throw new RangeError('a fault is an object with a kind');
  const fault = value as Record<string, unknown>;
  switch (fault.kind) {
    case 'status503':
    case 'hang':
    case 'reset':
    case 'hugeBody':
    case 'redirectLoop':
    case 'html':
    case 'frozen':
      return { kind: fault.kind };
    case 'slowDrip':
      return {
        kind: fault.kind,
        millisecondsPerByte: readNumber(fault, 'millisecondsPerByte', DEFAULT_DRIP_MILLISECONDS),
      };
    case 'truncated':
      return {
        kind: fault.kind,
        afterBytes: readNumber(fault, 'afterBytes', DEFAULT_CUT_BYTES),
        isClean: fault.isClean === true,
      };
    case 'oldTimestamps':
    case 'futureTimestamps':
      return { kind: fault.kind, seconds: readNumber(fault, 'seconds', DEFAULT_SHIFT_SECONDS) };
    default:
      throw new RangeError(`no fault is called ${JSON.stringify(fault.kind)}`);
  }
}

const LARGEST_NUMBER = 1_000_000_000;

function readNumber(fault: Record<string, unknown>, name: string, fallback: number): number {
  const value = fault[name] ?? fallback;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LARGEST_NUMBER) return value;
  throw new RangeError(`${name} is a whole number from 0 on`);
}
