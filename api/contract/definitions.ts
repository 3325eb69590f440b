import type { TSchema } from 'typebox';
import type { Definition } from './schema-builders.ts';
import { v1Definitions } from './v1.ts';
import { basicDefinitions } from './v2-basics.ts';
import { boardDefinitions } from './v2-board.ts';
import { liveDefinitions } from './v2-live.ts';
import { serviceDefinitions } from './v2-service.ts';
import { tripDefinitions } from './v2-trip.ts';
import { watchDefinitions } from './v2-watch.ts';

/** Part of `GET /v2/meta` and of the published documents. */
export const CONTRACT_VERSION = '1.26.0';

const all: readonly Definition[] = [
  ...basicDefinitions,
  ...boardDefinitions,
  ...tripDefinitions,
  ...liveDefinitions,
  ...watchDefinitions,
  ...serviceDefinitions,
  ...v1Definitions,
];

/** Every named type of v1 and v2, as in `$defs`; types refer to each other by `#/$defs/<name>`. */
export const definitions: Readonly<Record<string, TSchema>> = Object.fromEntries(
  all.map(({ name, schema }) => [name, schema]),
);

export type * from './v1.ts';
export type * from './v2-basics.ts';
export type * from './v2-board.ts';
export type * from './v2-leg-ref.ts';
export type * from './v2-live.ts';
export type * from './v2-service.ts';
export type * from './v2-trip.ts';
export type * from './v2-trip-modes.ts';
export type * from './v2-watch.ts';
