import { expect, it } from 'vitest';
import { openChore } from '../../../../pipeline/realtime/polling/chore.ts';

const at = (seconds: number) => (1_772_500_000 + seconds) as never;

it('starts immediately, then when it is due, and never while it is running', async () => {
  const begun: number[] = [];
  let end = () => {};
  const task = (now: number) => {
    begun.push(now - at(0));
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  };
  const chore = openChore(60, task, () => {});
  chore.startIfDue(at(0));
  chore.startIfDue(at(120));
  end();
  await chore.finish();
  chore.startIfDue(at(59));
  chore.startIfDue(at(60));
  end();
  await chore.finish();
  expect(begun).toEqual([0, 60]);
});

it('reports the failure and tries again', async () => {
  const reported: string[] = [];
  const chore = openChore(
    60,
    async () => {
      throw new Error('disk is full');
    },
    ({ message }) => reported.push(message),
  );
  for (const seconds of [0, 30, 60]) {
    chore.startIfDue(at(seconds));
    await chore.finish();
  }
  expect(reported).toEqual(['disk is full', 'disk is full']);
});
