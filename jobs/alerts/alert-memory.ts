import path from 'node:path';
import { findJson, writeJsonAtomically } from '../../pipeline/effects/files.ts';
import type { AlertMemory } from './decide-alerts.ts';

/** What is remembered of broken promises; empty where the file is missing or damaged. */
export async function readAlertMemory(dataDir: string): Promise<AlertMemory> {
  return (await findJson<AlertMemory>(memoryFile(dataDir))) ?? {};
}

export async function writeAlertMemory(dataDir: string, memory: AlertMemory): Promise<void> {
  await writeJsonAtomically(memoryFile(dataDir), memory);
}

function memoryFile(dataDir: string): string {
  return path.join(dataDir, 'state', 'alerts', 'memory.json');
}
