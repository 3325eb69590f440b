import type { SourceDefinition } from '../define-source.ts';
import { gtfsRt } from '../gtfs-rt/gtfs-rt.ts';
import { hafas } from '../hafas/hafas.ts';
import { ojp, trias } from '../trias/trias.ts';
import { wienerLinien } from '../wiener-linien/wiener-linien.ts';

/** Every kind of source there is; the one place outside of its folder where a kind is named. */
export const sourceDefinitions: readonly SourceDefinition[] = [gtfsRt, wienerLinien, trias, ojp, hafas];
