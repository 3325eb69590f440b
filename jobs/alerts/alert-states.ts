import path from 'node:path';
import { findJson, writeJsonAtomically } from '../../pipeline/effects/files.ts';
import type { AlertState, AlertStates } from './decide-notifications.ts';

/** Reads the alerts that were active at the last check, without damaged ones; empty if the file is missing or damaged. */
export async function readAlertStates(dataDir: string): Promise<AlertStates> {
  const states = (await findJson<AlertStates>(statesFile(dataDir))) ?? (await readFormerStates(dataDir));
  return Object.fromEntries(Object.entries(states).filter(([, state]) => isState(state)));
}

function isState(state: Partial<AlertState> | null): boolean {
  const isTime = (value: unknown) => value === null || Number.isFinite(value);
  return (
    [state?.kind, state?.subject, state?.text, state?.remedy].every((text) => typeof text === 'string') &&
    Number.isFinite(state?.activeSince) &&
    isTime(state?.notifiedAt) &&
    isTime(state?.inactiveSince)
  );
}

export async function writeAlertStates(dataDir: string, states: AlertStates): Promise<void> {
  await writeJsonAtomically(statesFile(dataDir), states);
}

/** As programs before 1.0 wrote it. */
interface FormerState extends Omit<AlertState, 'activeSince' | 'notifiedAt' | 'inactiveSince'> {
  readonly brokenSince: number;
  readonly toldAt: number | null;
  readonly keptSince: number | null;
}

/** States of a program before 1.0, so that an upgrade repeats no notification. May be removed in version 2. */
async function readFormerStates(dataDir: string): Promise<AlertStates> {
  const former =
    (await findJson<Record<string, FormerState | null>>(path.join(alertsFolder(dataDir), 'memory.json'))) ?? {};
  return Object.fromEntries(
    Object.entries(former).map(([key, state]) => {
      const { brokenSince, toldAt, keptSince, ...alert } = state ?? {};
      return [key, { ...alert, activeSince: brokenSince, notifiedAt: toldAt, inactiveSince: keptSince } as AlertState];
    }),
  );
}

function statesFile(dataDir: string): string {
  return path.join(alertsFolder(dataDir), 'states.json');
}

function alertsFolder(dataDir: string): string {
  return path.join(dataDir, 'state', 'alerts');
}
