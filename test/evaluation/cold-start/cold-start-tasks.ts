import { mkdir, writeFile } from 'node:fs/promises';
import { renderTable, type TextColumn } from '../../../jobs/job/text-table.ts';
import type { Duckdb } from '../../../pipeline/effects/duckdb.ts';
import type { Effects } from '../../../pipeline/effects/effects.ts';
import { projectPath } from '../../../pipeline/effects/project-files.ts';
import { addDays, type EpochDay, type ServiceDate, toEpochDay } from '../../../pipeline/model/service-time.ts';
import { writeDelayModel } from '../../../pipeline/predictions/learning/model-store.ts';
import type { DelayModel } from '../../../pipeline/predictions/model/delay-model.ts';
import {
  PRIORS,
  type PriorFacts,
  type PriorName,
  priorOf,
  readPriors,
} from '../../../pipeline/predictions/prior/read-priors.ts';
import type { EvaluationWindow, RecordLayout } from '../layout.ts';
import { loadPlRail } from '../pl-rail-layout.ts';
import { evaluateFirstDays, type FirstDays, historyDays } from './first-days.ts';
import { readKingstonRecord } from './kingston-record.ts';
import { openRecord } from './records.ts';
import { collectMisses, collectWindow, joinRows, trainPrior } from './train-prior.ts';

/** Days of a window: a prior knows sources of no more history than that. */
const WINDOW_DAYS = 3;
/** Days from one window to the next: all weekdays are among them. */
const WINDOW_STEP = 8;
const PAIRS_OF_WINDOW = 25_000;

interface PriorTask {
  /** Parquet file of the layout `pl_rail`, and the folder of the recording of Kingston. */
  readonly rail: string;
  readonly kingston: string;
  readonly window: EvaluationWindow;
}

/** Trains the priors, and writes them to the lookups. Windows from the begin of the test on validate. */
export async function rebuildPriors(
  db: Duckdb,
  { rail, kingston, window }: PriorTask,
  effects: Effects,
): Promise<string[]> {
  await mkdir(projectPath(PRIORS), { recursive: true });
  const street = await rebuildStreet(kingston, effects);
  const facts = { rail: await rebuildRail(db, rail, window, effects), street };
  await writeFile(projectPath(`${PRIORS}/priors.json`), `${JSON.stringify(facts, null, 1)}\n`);
  return Object.entries(facts).map(([name, { pairs, archive }]) => `${name}: ${pairs} pairs of ${archive}`);
}

async function rebuildRail(
  db: Duckdb,
  file: string,
  { from, testFrom, testTo }: EvaluationWindow,
  effects: Effects,
): Promise<PriorFacts> {
  const [learn, validation] = [[], []] as [ReturnType<typeof collectWindow>[], ReturnType<typeof collectWindow>[]];
  for (let day: ServiceDate = from; addDays(day, WINDOW_DAYS - 1) <= testTo; day = addDays(day, WINDOW_STEP)) {
    effects.log.progress(`window of ${day}`);
    const { table } = await loadPlRail(db, file, day, addDays(day, WINDOW_DAYS - 1));
    if (table.datedTripCount === 0) continue;
    (day < testFrom ? learn : validation).push(collectWindow(table, PAIRS_OF_WINDOW, toEpochDay(day)));
  }
  const [learnRows, validationRows] = [joinRows(learn), joinRows(validation)];
  const model = trainPrior(learnRows, validationRows);
  return {
    archive: 'Polish passenger trains',
    firstDay: from,
    lastDay: testTo,
    pairs: learnRows.current.length,
    misses: collectMisses(model, validationRows),
    ...(await writePrior('rail', model)),
  };
}

async function rebuildStreet(folder: string, effects: Effects): Promise<PriorFacts> {
  effects.log.progress('recording of Kingston');
  const table = await readKingstonRecord(folder, effects);
  const rows = collectWindow(table, Number.POSITIVE_INFINITY, 1);
  const model = trainPrior(rows, null);
  return {
    archive: 'buses of Kingston, Ontario',
    firstDay: '2026-01-15',
    lastDay: '2026-01-15',
    pairs: rows.current.length,
    misses: collectMisses(model, rows),
    ...(await writePrior('street', model)),
  };
}

async function writePrior(name: PriorName, model: DelayModel): Promise<object> {
  await writeFile(projectPath(`${PRIORS}/${name}.bin`), writeDelayModel(model));
  return {};
}

interface FirstDaysTask {
  readonly layout: RecordLayout;
  readonly data: string;
  readonly window: EvaluationWindow;
}

/** Evaluates the days of the test, each after several numbers of days of history. */
export async function runFirstDays(
  db: Duckdb,
  { layout, data, window }: FirstDaysTask,
  effects: Effects,
): Promise<FirstDays[]> {
  const [firstDay, testFrom, lastDay] = [window.from, window.testFrom, window.testTo].map((day) => toEpochDay(day)) as [
    EpochDay,
    EpochDay,
    EpochDay,
  ];
  const record = await openRecord(db, layout, data, { firstDay, lastDay });
  const priors = await readPriors();
  const prior = priors.byName.get(priorOf[record.group].name)!;
  const testDays = Array.from({ length: lastDay - testFrom + 1 }, (_, day) => testFrom + day);
  return evaluateFirstDays(record, { prior, group: record.group, testDays, histories: historyDays }, (days) =>
    effects.log.progress(`${days} days of history`),
  );
}

const number = (title: string): TextColumn => ({ title, align: 'end' });
const share = (value: number) => (Number.isNaN(value) ? '-' : `${(100 * value).toFixed(1)} %`);
const change = (value: number) => `${value > 0 ? '+' : ''}${(100 * value).toFixed(1)} %`;

/** Errors against persistence and coverage, by days of history. */
export function renderFirstDays(rows: readonly FirstDays[]): string[] {
  return renderTable(
    [
      'days of history',
      'pairs',
      'MAE, s',
      'persistence',
      'against it',
      'next call',
      'left',
      'at a stop',
      'covered',
      'high',
      'covered',
      'medium',
      'covered',
    ].map(number),
    rows.map(({ days, result }) => [
      String(days),
      String(result.pairs),
      (result.error / result.pairs).toFixed(1),
      (result.persistence / result.pairs).toFixed(1),
      change(result.error / result.persistence - 1),
      change(result.nextError / result.nextPersistence - 1),
      change((result.error - result.standingError) / (result.persistence - result.standingPersistence) - 1),
      result.standingPairs === 0 ? '-' : change(result.standingError / result.standingPersistence - 1),
      share(result.covered / result.pairs),
      share(result.highPairs / result.pairs),
      share(result.highCovered / result.highPairs),
      share(result.mediumPairs / result.pairs),
      share(result.mediumCovered / result.mediumPairs),
    ]),
  );
}
