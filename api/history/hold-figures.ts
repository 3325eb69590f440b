import path from 'node:path';
import type { Log } from '../../pipeline/effects/log.ts';
import {
  type FiguresManifest,
  figureSnapshotsFolder,
  findCurrentFiguresId,
  readFiguresManifest,
} from '../../pipeline/snapshots/prediction-metrics-contract.ts';
import { holdSnapshot, type LiveSnapshotHolder } from '../plugins/snapshot-holder.ts';
import type { HistoryHolder } from './hold-history.ts';
import type { MartReader } from './mart-reader.ts';
import { type PredictionSql, readPredictionSql } from './prediction-charts.ts';

/** Figures of past predictions, as `evaluate-predictions` published them. */
export interface PredictionFigures extends MartReader {
  readonly manifest: FiguresManifest;
  /** Statements of the charts. */
  readonly chartSql: PredictionSql;
}

/** @param histories whose engine answers */
export async function holdFigures(
  dataDir: string,
  histories: Pick<HistoryHolder, 'openReader'>,
  { log }: { readonly log: Log },
): Promise<LiveSnapshotHolder<PredictionFigures>> {
  const chartSql = await readPredictionSql();
  return holdSnapshot<PredictionFigures>(
    {
      readCurrentId: () => findCurrentFiguresId(dataDir),
      read: async () => {
        const id = await findCurrentFiguresId(dataDir);
        if (id === null) return null;
        const manifest = await readFiguresManifest(dataDir, id);
        const folder = path.resolve(figureSnapshotsFolder(dataDir), id);
        const reader = await histories.openReader({ folder, files: manifest.files });
        return { id, value: { manifest, chartSql, ...reader } };
      },
    },
    { log },
  );
}
