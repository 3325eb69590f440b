import type { Line } from '../../contract/v2-basics.ts';

const train =
  'M7 3.5h10a2 2 0 0 1 2 2V15a3 3 0 0 1-3 3H8a3 3 0 0 1-3-3V5.5a2 2 0 0 1 2-2zM5 10.5h14M8.5 14.5h.01M15.5 14.5h.01M8 18l-2 3M16 18l2 3';
const bus = 'M6 4h12a2 2 0 0 1 2 2v11H4V6a2 2 0 0 1 2-2zM4 11.5h16M7.5 14.5h.01M16.5 14.5h.01M7 17v2.5M17 17v2.5';

/** Outline of each kind of vehicle, drawn on 24 × 24. */
export const productPaths: Readonly<Record<Line['product'], string>> = {
  train,
  regionalTrain: train,
  sBahn: train,
  subway: 'M3.5 12a8.5 8.5 0 1 0 17 0 8.5 8.5 0 1 0-17 0M8.5 8v4.5a3.5 3.5 0 0 0 7 0V8',
  tram: 'M8 7h8a2 2 0 0 1 2 2v7a3 3 0 0 1-3 3H9a3 3 0 0 1-3-3V9a2 2 0 0 1 2-2zM6 13h12M9 16h.01M15 16h.01M9 3h6M12 3v4M9 19l-2 2M15 19l2 2',
  cityBus: bus,
  regionalBus: bus,
  nightBus: bus,
  cableway: 'M3 6l18-3M12 4.5V9M7 9h10a2 2 0 0 1 2 2v6a3 3 0 0 1-3 3H8a3 3 0 0 1-3-3v-6a2 2 0 0 1 2-2zM5 14h14',
  ship: 'M3.5 14h17l-2.5 5H6zM7 14V9h10v5M12 9V4.5M3 21.5c2 0 2-1 4.5-1s2.5 1 4.5 1 2.5-1 4.5-1 2.5 1 4.5 1',
  other: 'M12 6v12M6 12h12',
};
