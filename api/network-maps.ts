import { readFile } from 'node:fs/promises';
import { ExternalError } from '../pipeline/effects/external-error.ts';
import type { Log } from '../pipeline/effects/log.ts';
import {
  findCurrentMapsId,
  MAX_PUBLISHED_BYTES,
  type MapsManifest,
  mapFile,
  type PublishedMap,
  readMapsManifest,
} from '../pipeline/snapshots/network-map-files.ts';
import type { SnapshotHolder } from './plugins/route-handler.ts';
import { holdSnapshot, type LiveSnapshotHolder } from './plugins/snapshot-holder.ts';
import type { NetworkMapFile } from './site/network-map-files.ts';

/** A published set of maps with its files in memory. */
interface LoadedMaps extends MapsManifest {
  /** The files of this set, by name. */
  readonly files: ReadonlyMap<string, NetworkMapFile>;
  /** Files of the previous set, for apps that read the list just before it was replaced. */
  readonly filesBefore: ReadonlyMap<string, NetworkMapFile>;
}

/** Follows the published network maps. Their files are read into memory, so that no request waits for the disk. */
export async function holdNetworkMaps(dataDir: string, log: Log): Promise<LiveSnapshotHolder<LoadedMaps>> {
  let filesBefore: LoadedMaps['files'] = new Map();
  return holdSnapshot<LoadedMaps>(
    {
      readCurrentId: () => findCurrentMapsId(dataDir),
      read: async () => {
        const id = await findCurrentMapsId(dataDir);
        if (id === null) return null;
        const manifest = await readMapsManifest(dataDir, id);
        const files = await readFiles(dataDir, manifest, filesBefore);
        const value = { ...manifest, files, filesBefore };
        filesBefore = files;
        return { id, value };
      },
    },
    { log },
  );
}

/** Finds a file of the loaded maps; null for an unknown name. */
export function findMapFile(maps: SnapshotHolder<LoadedMaps>): (file: string) => NetworkMapFile | null {
  return (file) => {
    const held = maps.current()?.value;
    return held?.files.get(file) ?? held?.filesBefore.get(file) ?? null;
  };
}

/** @throws ExternalError `snapshot_damaged` if a file is missing, or the files exceed the size limit of publishing */
async function readFiles(
  dataDir: string,
  { id, maps }: MapsManifest,
  known: LoadedMaps['files'],
): Promise<LoadedMaps['files']> {
  if (maps.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_PUBLISHED_BYTES) {
    throw damaged(`network maps ${id} are larger than ${MAX_PUBLISHED_BYTES} bytes`);
  }
  const files = new Map<string, NetworkMapFile>();
  for (const map of maps) {
    // A name has the hash of its content.
    const content = known.get(map.file)?.content ?? (await readContent(dataDir, id, map));
    files.set(map.file, { map, content });
  }
  return files;
}

async function readContent(dataDir: string, id: string, { file, bytes }: PublishedMap): Promise<Buffer> {
  const content = await readFile(mapFile(dataDir, id, file)).catch((cause: unknown) => {
    throw damaged(`${file} of network maps ${id} cannot be read`, cause);
  });
  if (content.length !== bytes) throw damaged(`${file} of network maps ${id} is not whole`);
  return content;
}

function damaged(what: string, cause?: unknown): ExternalError {
  return new ExternalError('snapshot_damaged', `${what}: run build-network-maps`, { cause });
}
