import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { projectPath } from '../../../../pipeline/effects/project-files.ts';
import { UnreadableAnswer } from '../../../../pipeline/model/problem.ts';
import { parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import { createTriasSource } from '../../../../pipeline/sources/trias/trias-source.ts';
import { expectGolden } from '../../../support/checks/golden.ts';

const folder = projectPath('test/pipeline/sources/trias');
const now = parseTimestamp('2026-03-16T07:30:01Z')!;
const source = createTriasSource({
  kind: 'trias',
  url: 'https://sample.example/trias',
  requestorRef: 'me',
  stops: ['x'],
});
const request = source.listRequests(now)[0]!;
const readCase = (name: string) => readFile(path.join(folder, name, 'input.xml'));

const toBytes = (text: string) => new TextEncoder().encode(text);

/** A response without insignificant white space, which halves its length. */
async function readDense(name: string): Promise<Uint8Array> {
  return toBytes((await readCase(name)).toString('utf8').trim().replaceAll(/>\s+</g, '><'));
}

/** `read`, `unreadable`, or an unexpected error. */
async function outcomeOf(bytes: Uint8Array): Promise<string> {
  try {
    await source.parse(bytes, request, now);
    return 'read';
  } catch (error) {
    return error instanceof UnreadableAnswer ? 'unreadable' : String(error);
  }
}

test.each(['trias-good', 'trias-odd', 'ojp-good', 'ojp-odd'])('%s', async (name) => {
  const update = await source.parse(await readCase(name), request, now);
  await expectGolden(path.join(folder, name, 'expected.json'), update);
});

test.each(['trias-good', 'ojp-good'])('%s truncated anywhere is unreadable', async (name) => {
  const bytes = await readDense(name);
  const wrong: string[] = [];
  for (let length = 0; length < bytes.length; length++) {
    const outcome = await outcomeOf(bytes.subarray(0, length));
    if (outcome !== 'unreadable') wrong.push(`${length}: ${outcome}`);
  }
  expect(wrong).toEqual([]);
});

test.each(['trias-good', 'ojp-good'])('%s with arbitrary text inserted is read or unreadable', async (name) => {
  const bytes = await readDense(name);
  const change = fc.record({
    at: fc.nat(bytes.length - 1),
    dropped: fc.nat(40),
    added: fc.oneof(fc.uint8Array({ maxLength: 8 }), fc.constantFrom('<', '</', '&#', '<![CDATA[', '99').map(toBytes)),
  });
  await fc.assert(
    fc.asyncProperty(change, async ({ at, dropped, added }) => {
      const changed = Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + dropped)]);
      expect(await outcomeOf(changed)).toMatch(/^(?:read|unreadable)$/);
    }),
  );
});

test('accounts for every record', async () => {
  const update = await source.parse(await readCase('trias-odd'), request, now);
  const refused = ['trip_without_service', 'repeated_trip', 'situation_without_number', 'situation_draft'];
  const lost = update.problems.filter(({ code }) => refused.includes(code)).length;
  expect(update.trips.length + update.alerts.length + lost).toBe(update.recordCount);
});
