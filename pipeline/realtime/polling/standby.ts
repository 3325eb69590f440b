import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ExternalError, isSystemError } from '../../effects/external-error.ts';
import { writeJsonAtomically } from '../../effects/files.ts';
import type { SourceId } from '../../model/ids.ts';

/** Set by operators: whether a source is paused, and since when. */
interface StandbySwitch {
  readonly isStandby: boolean;
  /** ISO 8601 UTC. */
  readonly since: string;
}

/** Switches by source; the configuration applies to a source without one. */
export type StandbySwitches = Readonly<Record<string, StandbySwitch>>;

/** @throws ExternalError `standby_unreadable`: the operators' choice is unknown, so no source may be polled */
export async function readStandby(dataDir: string): Promise<StandbySwitches> {
  const file = standbyFile(dataDir);
  try {
    const switches: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (areSwitches(switches)) return switches;
  } catch (cause) {
    if (isSystemError(cause, 'ENOENT')) return {};
    throw unreadable(file, cause);
  }
  throw unreadable(file);
}

/**
 * Pauses or resumes a source; a running poller applies the change within seconds.
 * @throws ExternalError `standby_unreadable`; the system error when the switch cannot be written
 */
export async function setStandby(
  dataDir: string,
  source: SourceId,
  isStandby: boolean,
  nowMilliseconds: number,
): Promise<void> {
  const switches = await readStandby(dataDir);
  if (switches[source]?.isStandby === isStandby) return;
  const since = new Date(nowMilliseconds).toISOString();
  await writeJsonAtomically(standbyFile(dataDir), { ...switches, [source]: { isStandby, since } });
}

function standbyFile(dataDir: string): string {
  return path.join(dataDir, 'realtime', 'standby.json');
}

function areSwitches(value: unknown): value is StandbySwitches {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((one: Partial<StandbySwitch> | null) => typeof one?.isStandby === 'boolean');
}

function unreadable(file: string, cause?: unknown): ExternalError {
  const sentence = `${file} does not say which sources are on standby; repair or remove it`;
  return new ExternalError('standby_unreadable', sentence, { cause });
}
