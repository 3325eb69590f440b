import { readFile } from 'node:fs/promises';
import type { Log } from '../pipeline/effects/log.ts';
import { isSystemError } from '../pipeline/effects/world-error.ts';
import { findCurrentMapsId, type MapsManifest, mapFile, readMapsManifest } from '../pipeline/network-maps/map-files.ts';
import type { SnapshotHolder } from './plugins/route-handler.ts';
import { holdSnapshot, type LiveSnapshotHolder } from './plugins/snapshot-holder.ts';
import type { NetworkMapFile } from './site/network-map-files.ts';

/** The network maps that were last published. */
export async function holdNetworkMaps(dataDir: string, log: Log): Promise<LiveSnapshotHolder<MapsManifest>> {
  return holdSnapshot<MapsManifest>(
    {
      readCurrentId: () => findCurrentMapsId(dataDir),
      read: async () => {
        const id = await findCurrentMapsId(dataDir);
        return id === null ? null : { id, value: await readMapsManifest(dataDir, id) };
      },
    },
    { log },
  );
}

/** Reads a file of the maps that are held; null for any other name, and for one that has just been replaced. */
export function readMapsFrom(dataDir: string, maps: SnapshotHolder<MapsManifest>) {
  return async (file: string): Promise<NetworkMapFile | null> => {
    const held = maps.current();
    const map = held?.value.maps.find((one) => one.file === file);
    if (!held || !map) return null;
    try {
      return { map, content: await readFile(mapFile(dataDir, held.value.id, map.file)) };
    } catch (error) {
      if (isSystemError(error, 'ENOENT')) return null;
      throw error;
    }
  };
}
