import { readFile } from 'node:fs/promises';
import { projectPath } from '../../../../pipeline/effects/project-files.ts';
import type { SourceUpdate } from '../../../../pipeline/model/realtime.ts';
import { type Instant, parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import { normaliseMonitor } from '../../../../pipeline/sources/wiener-linien/normalise-monitor.ts';
import { normaliseNoticeAnswer } from '../../../../pipeline/sources/wiener-linien/normalise-notices.ts';
import { parseMonitorAnswer } from '../../../../pipeline/sources/wiener-linien/parse-monitor.ts';
import { type NoticeList, parseNoticeAnswer } from '../../../../pipeline/sources/wiener-linien/parse-notices.ts';

const SOURCE = 'city_transit';

/** The day of the fixtures, in Vienna's summer time. */
export function at(clock: string, date = '2026-05-04'): Instant {
  return parseTimestamp(`${date}T${clock}+02:00`)!;
}

async function readFixture(name: string): Promise<Buffer> {
  return readFile(projectPath(`test/pipeline/sources/wiener-linien/fixtures/${name}.json`));
}

export async function readMonitor(
  name: string,
  stations: readonly number[] = [],
  fetchedAt = at('08:00:02'),
): Promise<SourceUpdate> {
  const answer = parseMonitorAnswer(await readFixture(name), SOURCE);
  return normaliseMonitor(answer, stations, { source: SOURCE, fetchedAt });
}

export async function readNotices(name: string, list: NoticeList): Promise<SourceUpdate> {
  const answer = parseNoticeAnswer(await readFixture(name), list, SOURCE);
  return normaliseNoticeAnswer(answer, { source: SOURCE, fetchedAt: at('08:00:02') });
}

/** `code place`, for each problem. */
export function listProblems({ problems }: SourceUpdate): string[] {
  return problems.map(({ code, place }) => `${code} ${place}`);
}
