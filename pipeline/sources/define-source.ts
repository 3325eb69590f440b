import type { OptionsSchema } from './option-schemas.ts';
import type { RealtimeSource, SourceFacts } from './realtime-source.ts';

/** Areas of the service that a source provides data for. */
export type ProvidedArea = 'departures' | 'vehiclePositions' | 'disruptions';

/** Whether a licence allows an archive: `full` keeps raw answers and observations, `none` keeps neither. */
export type Archive = 'full' | 'none';

/** A source as configured. */
export interface SourceSetup<Options> {
  /** Id in problems. */
  readonly id: string;
  readonly options: Options;
  /** Overrides of the publisher's default facts. */
  readonly facts: Partial<SourceFacts>;
  /** Between two requests for the same part; absent: the default of the kind. */
  readonly intervalSeconds?: number;
}

/** Effects that a source may need when it is created. */
export interface SourceWorld {
  /** @param file path in the project */
  readLookup(file: string): Promise<string>;
  /** In hexadecimal. */
  md5(bytes: Uint8Array): string;
}

/** Everything that the rest of the project knows of a kind of source. */
export interface SourceDefinition<Options = Readonly<Record<string, unknown>>> {
  /** Value of the key `kind` in a configuration entry. */
  readonly kind: string;
  /** Options of this kind beside those of every entry; one of the same key replaces the common one. */
  readonly options: OptionsSchema<Options>;
  /** Archive permission under the licence. A source may narrow it to `none`, never widen it. */
  readonly archive: Archive;
  /** Areas that a source provides with these options. */
  areas(options: Options): readonly ProvidedArea[];
  /** By prefix of a request's part: the only area that the part provides. Other parts provide all areas. */
  readonly areasByPart: Readonly<Record<string, ProvidedArea>>;
  /**
   * Creates a source. The grammar is imported here, so that a kind that is not configured costs no start-up time.
   * @throws RangeError when the options contradict each other; the message shows no key
   */
  create(setup: SourceSetup<Options>, world: SourceWorld): Promise<RealtimeSource>;
}

/** Checks a definition against its own option types, then erases them for the list of all kinds. */
export function defineSource<Options>(
  definition: Omit<SourceDefinition<Options>, 'areasByPart'> & Partial<Pick<SourceDefinition, 'areasByPart'>>,
): SourceDefinition {
  return { areasByPart: {}, ...definition } as unknown as SourceDefinition;
}
