import type { OptionsSchema } from './option-schemas.ts';
import type { RealtimeSource, SourceFacts } from './realtime-source.ts';

/** Areas of the service that a source provides data for. */
export type ProvidedArea = 'departures' | 'vehiclePositions' | 'disruptions';

/** Whether a licence allows an archive: `full` keeps raw answers and observations, `none` keeps neither. */
export type Archive = 'full' | 'none';

/** A source as configured. */
interface SourceSetup<Options> {
  /** Id in problems. */
  readonly id: string;
  readonly options: Options;
  /** Overrides of the publisher's default facts. */
  readonly facts: Partial<SourceFacts>;
  /** Seconds between two requests for the same part; absent: the default of the kind. */
  readonly intervalSeconds?: number;
}

/** Effects available to a source while it is created. */
export interface SourceEffects {
  /** @param file path in the project */
  readLookup(file: string): Promise<string>;
  /** In hexadecimal. */
  md5(bytes: Uint8Array): string;
}

/** The interface of a kind of source to the rest of the project. */
export interface SourceDefinition<Options = Readonly<Record<string, unknown>>> {
  /** Value of the key `kind` in a configuration entry. */
  readonly kind: string;
  /** Options of this kind beside those of every entry; one of the same key replaces the common one. */
  readonly options: OptionsSchema<Options>;
  /** Archive permission under the licence. A source may narrow it to `none`, never widen it. */
  readonly archive: Archive;
  /** Areas that a source provides with these options. */
  areas(options: Options): readonly ProvidedArea[];
  /** By prefix of a request's part: the one area that the part provides. Other parts provide all areas. */
  readonly areasByPart: Readonly<Record<string, ProvidedArea>>;
  /**
   * Creates a source. Imports the grammar, so that kinds that are not configured do not delay the start.
   * @throws RangeError for contradictory options; the message contains no key
   */
  create(setup: SourceSetup<Options>, world: SourceEffects): Promise<RealtimeSource>;
}

/** Type-checks a definition against its options, then erases their type for the list of all kinds. */
export function defineSource<Options>(
  definition: Omit<SourceDefinition<Options>, 'areasByPart'> & Partial<Pick<SourceDefinition, 'areasByPart'>>,
): SourceDefinition {
  return { areasByPart: {}, ...definition } as unknown as SourceDefinition;
}
