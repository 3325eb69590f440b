import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import { openRunHistory } from '../../../pipeline/operations/run-history.ts';
import { usePostgres } from '../../support/fakes/use-postgres.ts';
import { silentLog, temporaryFolder } from '../../support/worlds/ingest.ts';
import { describeHistory, doneEnd, type OpenedHistory, START } from './history-cases.ts';

async function open(file: string, postgresUrl: string | null): Promise<OpenedHistory> {
  const clock = fixedClock(START);
  const history = await openRunHistory({ file, postgresUrl }, { clock, log: silentLog });
  onTestFinished(() => history.close().catch(() => {}));
  return { history, clock };
}

/** Holds for two processes on one store, in any engine. */
function describeShared(openBoth: () => Promise<readonly OpenedHistory[]>): void {
  test('two processes number their runs in one order', async () => {
    const [one, two] = await openBoth();
    const both = [one!.history, two!.history];
    const begin = (i: number) => both[i % 2]!.begin({ job: 'a', arguments: '', runBy: 'hand' });
    const numbers = await Promise.all(Array.from({ length: 20 }, (_, i) => begin(i)));
    expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    await both[0]!.end(numbers[1]!, doneEnd);
    const states = (await both[1]!.listRuns('a', 20)).filter(({ state }) => state === 'done');
    expect(states.map(({ number }) => number)).toEqual([numbers[1]]);
  });
}

describe('SQLite in a file', () => {
  const fileHere = async () => path.join(await temporaryFolder(), 'deep', 'operations.sqlite');
  describeHistory(async () => open(await fileHere(), null));
  describeShared(async () => {
    const file = await fileHere();
    return [await open(file, null), await open(file, null)];
  });
});

describe('PostgreSQL', () => {
  const server = usePostgres();
  describeHistory(async () => open('', await server().createDatabase()));
  describeShared(async () => {
    const url = await server().createDatabase();
    return Promise.all([open('', url), open('', url)]);
  });
});
