import { chartTexts } from '../../texts/charts.ts';
import { predictionsTexts } from '../../texts/predictions.ts';
import { pageLanguage } from '../page/language.ts';

export const texts = predictionsTexts[pageLanguage()];
export const aroundCharts = chartTexts[pageLanguage()];

/** Prediction methods in legend order, each with a colour and a mark, since colour alone is not accessible. */
export const forecasters = [
  { name: 'ours', id: 'a', color: 'var(--series-a)', symbol: 'circle' },
  { name: 'persistence', id: 'b', color: 'var(--series-b)', symbol: 'square' },
  { name: 'source', id: 'd', color: 'var(--series-d)', symbol: 'triangle' },
  { name: 'schedule', id: 'c', color: 'var(--series-c)', symbol: 'diamond' },
] as const;

/** Ranges of the prediction horizon, from top to bottom. */
export const slices = [
  '0-5 min',
  '5-15 min',
  '15-30 min',
  '30-60 min',
  '60 min and more',
  'all',
  'current delay >= 180 s',
] as const;

export const forecasterLabel = (name: string) => texts.forecasters[name] ?? name;
export const sliceLabel = (name: string) => texts.slices[name] ?? name;
