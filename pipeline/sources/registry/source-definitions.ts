import type { SourceDefinition } from '../define-source.ts';
import { gbfs } from '../gbfs/gbfs.ts';
import { gtfsRt } from '../gtfs-rt/gtfs-rt.ts';
import { hafas } from '../hafas/hafas.ts';
import { ojp, trias } from '../trias/trias.ts';
import { wienerLinien } from '../wiener-linien/wiener-linien.ts';

/** All kinds of sources; the only file outside a kind's folder that names the kind. */
export const sourceDefinitions: readonly SourceDefinition[] = [gtfsRt, wienerLinien, trias, ojp, hafas, gbfs];
