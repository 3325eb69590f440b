import type { Clock } from '../../pipeline/effects/clock.ts';

export interface FairUseSettings {
  /** Cost units that an address regains per minute; 0 = no limit at all. */
  readonly unitsPerMinute: number;
  /** Cost units that an address may spend at once. */
  readonly burst: number;
}

interface FairUseLimits {
  /** Number of addresses in memory; the least recently seen is dropped first. */
  readonly addresses: number;
  /** Number of installations tracked separately per address; further ones share one portion. */
  readonly installations: number;
}

interface Verdict {
  readonly isAllowed: boolean;
  /** Whole units that this client can spend now. */
  readonly remaining: number;
  /** Seconds until the bucket of the address is full again. */
  readonly resetSeconds: number;
  /** Seconds until the same request would be allowed; 0 if it is allowed now. */
  readonly retryAfterSeconds: number;
}

export interface FairUse {
  /** Value of `RateLimit-Policy`. */
  readonly policy: string;
  /**
   * Charges the cost of a call to an address.
   * @param installation distinguishes the devices behind one address; null when the client does not send it
   * @param cost units; 0 only reads the level. A cost above the burst needs a full bucket and makes its level negative.
   */
  charge(address: string, installation: string | null, cost: number): Verdict;
}

/** A token bucket. Levels are units times 60 000, so that a millisecond at any whole rate is a whole number. */
interface Bucket {
  level: number;
  at: number;
}

interface Account extends Bucket {
  readonly portions: Map<string, Bucket>;
}

const SCALE = 60_000;
const PORTION_IDLE_MILLISECONDS = 60_000;
const defaultLimits: FairUseLimits = { addresses: 50_000, installations: 16 };

/**
 * Creates cost-weighted token buckets, one per address. If several installations share an address, all may spend the
 * upper half of its bucket, and the lower half is divided equally, so that a busy installation cannot starve the others.
 * An installation never gets more than its address has.
 * @returns null if fair use is disabled
 */
export function createFairUse(settings: FairUseSettings, clock: Clock, limits = defaultLimits): FairUse | null {
  const { unitsPerMinute: rate, burst } = settings;
  if (rate === 0) return null;
  const full = burst * SCALE;
  const windowSeconds = Math.max(1, Math.ceil((burst * 60) / rate));
  const accounts = new Map<string, Account>();

  const openAccount = (address: string, now: number): Account => {
    const account = accounts.get(address) ?? { level: full, at: now, portions: new Map() };
    // Removed and inserted again, so that the first key is always the least recently seen address.
    accounts.delete(address);
    accounts.set(address, account);
    const oldest = accounts.keys().next();
    if (accounts.size > limits.addresses && !oldest.done) accounts.delete(oldest.value);
    refill(account, full, rate, now);
    return account;
  };

  return {
    policy: `"address";q=${burst};w=${windowSeconds}`,
    charge(address, installation, cost) {
      const now = clock.nowMilliseconds();
      const account = openAccount(address, now);
      const describe = (spendable: number, waitMilliseconds: number): Verdict => ({
        isAllowed: waitMilliseconds === 0,
        remaining: Math.max(0, Math.floor(spendable / SCALE)),
        resetSeconds: Math.ceil((full - account.level) / rate / 1000),
        retryAfterSeconds: Math.ceil(waitMilliseconds / 1000),
      });
      if (cost === 0) return describe(account.level, 0);
      const portion = openPortion(account, installation ?? '', limits.installations);
      const sharers = account.portions.size;
      refill(portion, full / 2 / sharers, rate / sharers, now);
      const waitMilliseconds = spend(account, portion, { cost: cost * SCALE, full, rate });
      const free = Math.max(0, account.level - full / 2);
      return describe(sharers > 1 ? Math.min(account.level, free + portion.level) : account.level, waitMilliseconds);
    },
  };
}

/**
 * Charges a cost to the bucket of an address, and the part above the shared half also to the portion of the installation.
 * @returns 0, or the milliseconds to wait, in which case nothing was charged
 */
function spend(
  account: Account,
  portion: Bucket,
  { cost, full, rate }: { readonly cost: number; readonly full: number; readonly rate: number },
): number {
  const needed = Math.min(cost, full);
  const sharers = account.portions.size;
  const fromPortion = Math.max(0, needed - Math.max(0, account.level - full / 2));
  const portionNeeded = Math.min(fromPortion, full / 2 / sharers);
  const isShort = account.level < needed;
  const isGreedy = sharers > 1 && portion.level < portionNeeded;
  if (!isShort && !isGreedy) {
    account.level -= cost;
    portion.level = Math.max(0, portion.level - fromPortion);
    return 0;
  }
  const untilAccount = (needed - account.level) / rate;
  if (!isGreedy) return untilAccount;
  const untilPortion = ((portionNeeded - portion.level) * sharers) / rate;
  const untilFree = (needed + full / 2 - account.level) / rate;
  // A cost of more than half a bucket never fits into the shared half.
  return Math.max(untilAccount, needed > full / 2 ? untilPortion : Math.min(untilPortion, untilFree));
}

function openPortion(account: Account, installation: string, limit: number): Bucket {
  for (const [name, portion] of account.portions) {
    const isIdle = account.at - portion.at >= PORTION_IDLE_MILLISECONDS;
    if (isIdle && name !== installation) account.portions.delete(name);
  }
  const name = account.portions.has(installation) || account.portions.size < limit ? installation : '';
  // The portion of a new installation is full, whatever its size.
  const portion = account.portions.get(name) ?? { level: Number.POSITIVE_INFINITY, at: account.at };
  account.portions.set(name, portion);
  return portion;
}

/** A clock that was set back neither adds nor removes units. */
function refill(bucket: Bucket, capacity: number, rate: number, now: number): void {
  bucket.level = Math.min(capacity, bucket.level + Math.max(0, now - bucket.at) * rate);
  bucket.at = now;
}
