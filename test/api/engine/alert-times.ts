import type { AlertLine } from '../../../pipeline/model/realtime.ts';
import { instant } from '../../support/worlds/board-world.ts';
import { at } from './live-town.ts';

export const NOW = '08:00';

export const lineOf = (over: Partial<AlertLine>): AlertLine => ({
  label: null,
  routeId: null,
  agencyId: null,
  operatorName: null,
  region: null,
  ...over,
});

export const window = (from: string | null, to: string | null) => ({
  from: from === null ? null : instant(at(from)),
  to: to === null ? null : instant(at(to)),
});
