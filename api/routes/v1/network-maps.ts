import { formatUtc } from '../../../pipeline/model/service-time.ts';
import { type MapsManifest, mapAddress, type PublishedMap } from '../../../pipeline/snapshots/network-map-files.ts';
import type { V1NetworkMaps } from '../../contract/definitions.ts';
import type { Handlers, Service } from '../service.ts';

/** `/v1/network-maps`: the maps published last. */
export function networkMapHandlers({ networkMaps }: Service): Handlers {
  return {
    'GET /v1/network-maps': {
      snapshot: 'unused',
      takeData: () => {
        const held = networkMaps.current();
        return { value: held?.value ?? null, dataVersion: held?.dataVersion, tagPart: held?.dataVersion ?? null };
      },
      changesWithTime: () => true,
      answer: ({ data, instant }) => {
        const maps = (data as MapsManifest | null)?.maps ?? [];
        const answer: V1NetworkMaps = { generatedAt: formatUtc(instant * 1000), maps: maps.map(present) };
        return { json: answer };
      },
    },
  };
}

function present({ file, layout: _, ...map }: PublishedMap): V1NetworkMaps['maps'][number] {
  return { ...map, url: mapAddress(file) };
}
