import { defineSource } from '../define-source.ts';
import {
  address,
  flag,
  isFilledText,
  isMapping,
  option,
  optional,
  optionsSchema,
  stopIds,
  text,
  texts,
  wholeNumber,
} from '../option-schemas.ts';
import type { OwnHafasProfile } from './create-hafas-source.ts';

export const hafas = defineSource({
  kind: 'hafas',
  // The terms of HAFAS servers allow live display, but no storage.
  archive: 'none',
  options: optionsSchema({
    profile: option<string | OwnHafasProfile>(
      '`vao`, the name of a profile of hafas-client, or one of your own as a mapping.',
      'the name of a profile, or one of your own',
      (value) => isFilledText(value) || isMapping(value),
    ),
    endpoint: optional(address('Replaces the endpoint of the profile.')),
    redirectHosts: optional(texts('Hosts besides that of the endpoint to which requests may be redirected.'), []),
    key: optional(text("The operator's key; a secret.")),
    stops: stopIds('Numbers of the stations whose departures are requested.'),
    arrivals: optional(flag('Requests arrivals too.'), false),
    remarks: optional(flag('Whether to request messages besides those in boards.'), false),
    vehiclesOnDemand: optional(
      flag('Asks for the vehicles of map areas that an app displays; a fifth of the budget at most.'),
      true,
    ),
    durationMinutes: optional(wholeNumber('How far boards look ahead.', 1, 1440), 60),
    // Required, because the publisher bills requests: a forgotten budget must not cost money.
    dailyBudget: wholeNumber('Requests a day, required here; beyond it no request is sent.', 1, 100_000_000),
  }),
  // Boards include their messages, whether or not more are requested.
  areas: () => ['departures', 'disruptions'],
  create: async ({ options, facts: overrides, ...setup }, { md5 }) => {
    const { createHafasSource } = await import('./create-hafas-source.ts');
    return createHafasSource({ ...setup, ...options, overrides }, md5);
  },
});
