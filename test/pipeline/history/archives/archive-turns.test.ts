import { expect, it } from 'vitest';
import { queueArchives } from '../../../../pipeline/history/archives/archive-turns.ts';
import type { ServiceDate } from '../../../../pipeline/model/service-time.ts';

const [monday, tuesday] = ['2026-03-02', '2026-03-03'] as ServiceDate[];

/** Logs the end of each wait. */
function watch() {
  const over: string[] = [];
  const note = (name: string, wait: Promise<void>) => void wait.then(() => over.push(name));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { over, note, settle };
}

it('archives publish a shared day in their order, and wait for no other', async () => {
  const [first, second, third] = queueArchives(3);
  const { over, note, settle } = watch();
  second!.announce([monday!, tuesday!]);
  third!.announce([tuesday!]);
  note('second monday', second!.waitFor(monday!));
  note('third tuesday', third!.waitFor(tuesday!));
  await settle();
  // The days of the first are not known yet.
  expect(over).toEqual([]);
  first!.announce([tuesday!]);
  await settle();
  expect(over).toEqual(['second monday']);
  first!.end();
  await settle();
  expect(over).toEqual(['second monday']);
  second!.end();
  await settle();
  expect(over).toEqual(['second monday', 'third tuesday']);
});

it('an archive that fails before its days are known blocks no other', async () => {
  const [first, second] = queueArchives(2);
  const { over, note, settle } = watch();
  note('second', second!.waitFor(monday!));
  first!.end();
  await settle();
  expect(over).toEqual(['second']);
});
