import { createHash } from 'node:crypto';
import type { ConfiguredSource } from '../../config/configured-source.ts';
import type { Log } from '../../effects/log.ts';
import { readProjectFile } from '../../effects/project-files.ts';
import type { SourceId } from '../../model/ids.ts';
import type { ProvidedArea, SourceDefinition, SourceEffects } from '../../sources/define-source.ts';
import type { RealtimeSource, SourceFacts } from '../../sources/realtime-source.ts';
import { getSourceDefinition } from '../../sources/registry/find-source-definition.ts';

/** A source ready to be polled. */
export interface PolledSource {
  readonly id: SourceId;
  readonly source: RealtimeSource;
  readonly facts: SourceFacts;
  /** The configured timetable source; null where none is configured. */
  readonly timetable: SourceId | null;
  readonly provides: readonly ProvidedArea[];
  /** Paused unless a standby switch overrides it. */
  readonly isStandby: boolean;
  /** Configured by the operator, sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Opens the configured sources; only the formats that they need are loaded. A source with an inconsistent configuration
 * is logged and left out; the others are polled.
 */
export async function openSources(
  configured: readonly ConfiguredSource[],
  { log }: { readonly log: Log },
): Promise<PolledSource[]> {
  const opened: PolledSource[] = [];
  for (const one of configured) {
    try {
      opened.push(await openSource(one));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      log.warn(`${one.id} is not polled: ${error.message}`);
    }
  }
  return opened;
}

const world: SourceEffects = {
  readLookup: readProjectFile,
  md5: (bytes) => createHash('md5').update(bytes).digest('hex'),
};

/** @throws RangeError when the configuration is inconsistent */
async function openSource(configured: ConfiguredSource): Promise<PolledSource> {
  const definition = getSourceDefinition(configured.kind);
  const { id, timetable, isStandby, headers, options, intervalSeconds } = configured;
  const setup = { id, options, facts: listFacts(configured), ...withoutNulls({ intervalSeconds }) };
  const source = await definition.create(setup, world);
  const facts = { ...source.facts, archive: narrowArchive(definition, source.facts) };
  return { id, source, facts, timetable, provides: definition.areas(options), isStandby, headers };
}

/** Applies the archive limit of the kind's licence to the configured one. */
function narrowArchive({ archive }: SourceDefinition, facts: SourceFacts): SourceFacts['archive'] {
  return archive === 'none' ? 'none' : facts.archive;
}

/** Configured values that replace the defaults of the publisher. */
function listFacts(configured: ConfiguredSource): Partial<SourceFacts> {
  const { timeoutSeconds, maxAgeSeconds, dailyBudget, licence, attribution, coverage, isNationwide } = configured;
  return withoutNulls({ timeoutSeconds, maxAgeSeconds, dailyBudget, licence, attribution, coverage, isNationwide });
}

type WithoutNulls<Values> = { readonly [Key in keyof Values]?: NonNullable<Values[Key]> };

/** Removes nulls, so that they do not replace defaults. */
function withoutNulls<Values extends object>(values: Values): WithoutNulls<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as WithoutNulls<Values>;
}
