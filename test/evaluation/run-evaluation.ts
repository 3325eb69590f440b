import { type CommandRun, fakeEffects, recordIo } from '../jobs/fake-world.ts';
import { evaluate } from './evaluate.ts';

/** Runs `npm run evaluate -- <argv>` in this process and returns what it writes. */
export async function runEvaluation(argv: readonly string[], folder: string): Promise<CommandRun> {
  const { io, written } = recordIo({ dataDir: folder });
  const code = await evaluate(argv, { io, effects: fakeEffects() });
  return { code, ...written };
}
