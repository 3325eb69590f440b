import type { RecordProblem } from '../../model/problem.ts';
import { UnreadableAnswer } from '../../model/problem.ts';
import { findText, getObject, isJsonObject, type JsonObject, listItems, listTexts } from '../json-answer.ts';
import type { RawNotice, RawNoticeAnswer } from './raw-records.ts';
import { readAnswer } from './read-answer.ts';

/** Name of the list that holds the entries: in `trafficInfoList` and `monitor`, or in `newsList`. */
export type NoticeList = 'trafficInfos' | 'pois';

const categoryLists = { trafficInfos: 'trafficInfoCategories', pois: 'poiCategories' } as const;
const categoryReferences = { trafficInfos: 'refTrafficInfoCategoryId', pois: 'refPoiCategoryId' } as const;

/**
 * Parses an answer of `trafficInfoList` or `newsList`. An answer without the list has no notices.
 * @throws UnreadableAnswer for any other document, see `readAnswer`
 */
export function parseNoticeAnswer(bytes: Uint8Array, list: NoticeList, source: string): RawNoticeAnswer {
  const { data, serverTime } = readAnswer(bytes, { needsMessage: false });
  if (data[list] === undefined && Object.keys(data).length > 0) {
    throw new UnreadableAnswer('foreign_format', `an answer without ${list}`);
  }
  const { records, problems } = readNotices(data, list, source);
  return { serverTime, notices: records, recordCount: records.length + problems.length, problems };
}

/** The entries of a list of notices, and a problem for each invalid one. */
export function readNotices(
  data: JsonObject,
  list: NoticeList,
  source: string,
): { readonly records: readonly RawNotice[]; readonly problems: readonly RecordProblem[] } {
  const categories = readCategories(data, categoryLists[list]);
  const records: RawNotice[] = [];
  const problems: RecordProblem[] = [];
  listItems(data, list).forEach((item, i) => {
    const place = `${list}[${i}]`;
    const notice = isJsonObject(item) ? item : {};
    const id = findText(notice, 'name') ?? findText(notice, 'id');
    if (id === undefined) {
      problems.push({ code: 'notice_without_id', source, place, detail: findText(notice, 'title') ?? '' });
      return;
    }
    const category = categories.get(findText(notice, categoryReferences[list]) ?? '');
    records.push(readNotice(notice, { place, id, category }));
  });
  return { records, problems };
}

/** Category names by number; numbers are valid within one answer only. */
function readCategories(data: JsonObject, list: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const category of listItems(data, list)) {
    if (!isJsonObject(category)) continue;
    const id = findText(category, 'id');
    const name = findText(category, 'name');
    if (id !== undefined && name !== undefined) names.set(id, name);
  }
  return names;
}

function readNotice(notice: JsonObject, known: Pick<RawNotice, 'place' | 'id' | 'category'>): RawNotice {
  const attributes = getObject(notice, 'attributes');
  const time = getObject(notice, 'time');
  return {
    ...known,
    title: findText(notice, 'title'),
    description: findText(notice, 'description'),
    descriptionHtml: findText(notice, 'descriptionHTML'),
    location: findText(notice, 'location') ?? findText(attributes, 'location'),
    priority: findText(notice, 'priority'),
    owner: findText(notice, 'owner'),
    status: findText(notice, 'status') ?? findText(attributes, 'status'),
    station: findText(attributes, 'station'),
    reason: findText(attributes, 'reason'),
    towards: findText(attributes, 'towards'),
    relatedLines: findFirstTexts([notice, 'relatedLines'], [attributes, 'relatedLines']),
    relatedStops: findFirstTexts([notice, 'relatedStops'], [attributes, 'relatedStops'], [attributes, 'rbls']),
    start: findText(time, 'start'),
    end: findText(time, 'end'),
  };
}

/** The first list that is not empty: lifts have theirs at one place or another. */
function findFirstTexts(...places: readonly (readonly [JsonObject, string])[]): readonly string[] {
  for (const [object, name] of places) {
    const texts = listTexts(object, name);
    if (texts.length > 0) return texts;
  }
  return [];
}
