import { huSnapshotsLayout } from './hu-snapshots/hu-snapshots-layout.ts';
import type { Layout, LayoutName } from './layout.ts';
import { plRailLayout } from './pl-rail-layout.ts';

export const layouts: Readonly<Record<LayoutName, Layout>> = {
  pl_rail: plRailLayout,
  hu_snapshots: huSnapshotsLayout,
};
