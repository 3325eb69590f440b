import { defineSource, type SourceDefinition } from '../define-source.ts';
import { address, flag, type Option, optional, optionsSchema, stopIds, text, version } from '../option-schemas.ts';
import type { TriasVersion } from './trias-source.ts';

export const trias = defineKind('trias', optional(version('Version of the standard.', '1.1', '1.2'), '1.2'));
export const ojp = defineKind('ojp', optional(version('Version of the standard.', '1.0', '2.0'), '2.0'));

/** Two standards that share one parser. */
function defineKind(kind: 'trias' | 'ojp', versionOption: Option<TriasVersion>): SourceDefinition {
  return defineSource({
    kind,
    archive: 'full',
    options: optionsSchema({
      url: address('Where requests are sent.'),
      version: versionOption,
      requestorRef: text("The operator's name or key at the publisher; a secret."),
      stops: stopIds('References of the stops whose departures are requested.'),
      situations: optional(flag('Requests situations in addition to departures.'), true),
    }),
    areas: ({ situations }) => (situations ? ['departures', 'disruptions'] : ['departures']),
    create: async ({ options, ...setup }) => {
      const { createTriasSource } = await import('./trias-source.ts');
      const { situations: includeSituations, ...others } = options;
      return createTriasSource({ ...setup, kind, ...others, includeSituations });
    },
  });
}
