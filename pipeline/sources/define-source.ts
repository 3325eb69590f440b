import type { OptionsSchema } from './option-schemas.ts';
import type { RealtimeSource, SourceFacts } from './realtime-source.ts';

/** Areas of the service that live on a source. */
export type ProvidedArea = 'departures' | 'vehiclePositions' | 'disruptions';

/** Whether a licence allows an archive: raw answers and sightings are kept, or neither may be. */
export type Archive = 'full' | 'none';

/** A source as the configuration has it. */
export interface SourceSetup<Options> {
  /** Names it in problems. */
  readonly id: string;
  readonly options: Options;
  /** In place of what is known of the publisher. */
  readonly facts: Partial<SourceFacts>;
  /** Between two requests for the same; absent: as the kind has it. */
  readonly intervalSeconds?: number;
}

/** What a source may need of the world when it is made. */
export interface SourceWorld {
  /** @param file path in the project */
  readLookup(file: string): Promise<string>;
  /** In hexadecimal. */
  md5(bytes: Uint8Array): string;
}

/** Everything that the rest of the project knows of a kind of source. */
export interface SourceDefinition<Options = Readonly<Record<string, unknown>>> {
  /** As the key `kind` of an entry says it. */
  readonly kind: string;
  /** What an entry of this kind may hold beside what every entry may; one of the same key takes its place. */
  readonly options: OptionsSchema<Options>;
  /** By its licence. A source may narrow it to `none`, never widen it. */
  readonly archive: Archive;
  /** What a source is good for, as it is configured. */
  areas(options: Options): readonly ProvidedArea[];
  /** By how the name of a request's part begins: the area that it serves alone. Other parts serve all areas. */
  readonly areasByPart: Readonly<Record<string, ProvidedArea>>;
  /**
   * Makes a source. The grammar is loaded here, so that nobody waits for one that is not configured.
   * @throws RangeError when the options do not fit together; the message shows no key
   */
  create(setup: SourceSetup<Options>, world: SourceWorld): Promise<RealtimeSource>;
}

/** Types a definition by its own options, and forgets them: a list of all kinds knows none of them. */
export function defineSource<Options>(
  definition: Omit<SourceDefinition<Options>, 'areasByPart'> & Partial<Pick<SourceDefinition, 'areasByPart'>>,
): SourceDefinition {
  return { areasByPart: {}, ...definition } as unknown as SourceDefinition;
}
