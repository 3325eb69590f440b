import { describe, expect, test } from 'vitest';
import { definitions } from '../../../api/contract/definitions.ts';
import { expectValidAnswer, findContractErrors } from '../../support/checks/contract-validator.ts';
import { badValues } from './bad-values.ts';
import { samples } from './samples.ts';
import type { PlainSchema } from './schema-notation.ts';

const types = definitions as Readonly<Record<string, PlainSchema>>;

test('every type has a sample with all of its members', () => {
  expect(Object.keys(samples).sort()).toEqual(Object.keys(types).sort());
  for (const [name, schema] of Object.entries(types)) {
    if (!schema.properties) continue;
    // Trips are requested by time, by the reference of a page or as alternatives of a leg: only one of these.
    const members = Object.keys(schema.properties).filter(
      (member) => !(name === 'TripRequest' && ['pageRef', 'legAlternatives'].includes(member)),
    );
    expect(Object.keys(samples[name] as object).sort(), name).toEqual(members.sort());
  }
});

test.each(Object.keys(types))('%s accepts its sample', (name) => expectValidAnswer(name, samples[name]));

const objectTypes = Object.entries(types).filter(([, schema]) => schema.properties !== undefined);

describe.each(objectTypes)('%s', (name, schema) => {
  const sample = samples[name] as Record<string, unknown>;

  test('accepts only its required members', async () => {
    const required = Object.entries(sample).filter(([member]) => schema.required?.includes(member));
    await expectValidAnswer(name, Object.fromEntries(required));
  });

  test('refuses an unknown member', async () => {
    expect(await findContractErrors(name, { ...sample, somethingElse: 1 })).not.toEqual([]);
  });

  test('refuses each missing required member and each member of another type', async () => {
    for (const member of Object.keys(sample)) {
      const { [member]: _, ...rest } = sample;
      const isRefused = (await findContractErrors(name, rest)).length > 0;
      expect(isRefused, `without ${member}`).toBe(schema.required?.includes(member) ?? false);
      // No member of any type is a list of lists.
      expect(await findContractErrors(name, { ...rest, [member]: [[]] }), `${member} as a list`).not.toEqual([]);
    }
  });
});

test.each(badValues)('%s refuses %j', async (name, value) => {
  expect(await findContractErrors(name, value)).not.toEqual([]);
});

test('throws for a type that is not published', async () => {
  await expect(expectValidAnswer('Bord', {})).rejects.toThrow('no type "Bord"');
});
