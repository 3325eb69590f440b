import type { Config } from '../../pipeline/config/load-config.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';

/** What one check has found. */
export interface Finding {
  /** What was looked at, e.g. `disk` or `source wien`. */
  readonly about: string;
  readonly status: 'good' | 'warning' | 'bad';
  /** One sentence. */
  readonly sentence: string;
  /** What to do next; null where there is nothing to do. */
  readonly remedy: string | null;
}

export interface Examined {
  readonly config: Config;
  readonly effects: Effects;
  /** Ends requests that are under way. */
  readonly signal: AbortSignal;
}

export function good(about: string, sentence: string): Finding {
  return { about, status: 'good', sentence, remedy: null };
}

export function warning(about: string, sentence: string, remedy: string): Finding {
  return { about, status: 'warning', sentence, remedy };
}

export function bad(about: string, sentence: string, remedy: string): Finding {
  return { about, status: 'bad', sentence, remedy };
}
