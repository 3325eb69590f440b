import { partitionPoint } from '../../../pipeline/model/binary-search.ts';
import { distanceMeters } from '../../../pipeline/model/geo.ts';
import { hashWord, MAX_NAME_WORDS, type SearchIndex } from '../../../pipeline/model/search-index.ts';
import { type QueryWord, queryWords } from '../../../pipeline/model/stop-name.ts';
import { SearchWorkspace } from '../read/search-workspace.ts';
import { findExact, rateExactness } from './exact-names.ts';
import { matchWords, minMatchedShare, QUALITY, weighWords } from './match-words.ts';

export interface SearchOptions {
  /** Maximum number of results. */
  readonly limit: number;
  /** Location of the traveller; stops near it rank somewhat higher. */
  readonly bias?: { readonly lat: number; readonly lon: number };
  /** Whether an entry may be a result; absent: all. */
  readonly accepts?: (entry: number) => boolean;
  /** Coordinates by entry, NaN where unknown; read only with a bias. */
  readonly coordinates: { readonly lat: Float64Array; readonly lon: Float64Array };
  /** Of this index, reused from search to search; without one, each search creates its own. */
  readonly workspace?: SearchWorkspace;
}

interface SearchResult {
  readonly entry: number;
  /** Decides the order: points, and exactness above all. */
  readonly score: number;
  /** Points of the match, comparable between indexes. */
  readonly points: number;
  /** See `rateExactness`. */
  readonly exactness: number;
}

/** The points are the share of the query that matches (0..100, weighted by letters and quality), plus these. */
const POINTS = {
  /** All words of a query of several match exactly: outweighs a prefix match elsewhere with all other bonuses. */
  allWords: 20,
  /** Times the share of the name that the query covers. */
  coverage: 12,
  importance: 10,
  /** By station rank; brings a town's main station to the top if the query is only the town. */
  station: [0, 6, 12],
  /** At the traveller's location; half as much at `BIAS_HALF_METERS`. */
  bias: 8,
  /** No vehicle calls there in the loaded timetable. */
  unserved: -15,
  /** By kind of name: a platform's name says less about what is meant. */
  kind: [0, 0, -4, 0],
} as const;

/** Times the exactness: more than all points together, so that an exact name ranks before everything else. */
const EXACT_POINTS = 200;
/** Points of the match of an exact name. */
const WHOLE_MATCH = 100;

const BIAS_HALF_METERS = 5000;

/** Entries with less than this share of the best score are dropped: next to a good match, poor ones are noise. */
const MIN_SHARE_OF_BEST = 0.45;

/**
 * Finds stops by name or code.
 *
 * Best first: by score, then importance (both descending), then name (code units), then entry; a total order, so that
 * a smaller limit returns a prefix of the results of a larger one.
 *
 * @param query anything a person may type; its last word may be incomplete
 * @returns no entry twice; empty when too little of the query matches
 */
export function searchStops(index: SearchIndex, query: string, options: SearchOptions): SearchResult[] {
  if (options.limit < 1) return [];
  const { workspace = new SearchWorkspace(index) } = options;
  const words = queryWords(query).slice(0, MAX_NAME_WORDS);
  const exact: { entry: number; exactness: number }[] = [];
  findExact(index, query, (entry, exactness) => exact.push({ entry, exactness }));
  matchWords(index, words, exact.length > 0, workspace);
  scoreNames(index, words, minMatchedShare(exact.length > 0), workspace);
  for (const { entry, exactness } of exact) {
    workspace.addPoints(entry, WHOLE_MATCH + entryPoints(index, entry), exactness);
  }
  return rankEntries(index, workspace, options);
}

function scoreNames(
  index: SearchIndex,
  words: readonly QueryWord[],
  minShare: number,
  workspace: SearchWorkspace,
): void {
  const query = {
    minShare,
    weights: weighWords(words),
    letters: words.map(({ letters }) => letters),
    hashes: words.map(({ text }) => hashWord(text)),
    isLong: words.filter(({ isConnecting }) => !isConnecting).length > 1,
    isConnecting: words.map(({ isConnecting }) => isConnecting),
  };
  for (let slot = 0; slot < workspace.count; slot++) scoreName(index, query, workspace, slot);
}

interface WeighedQuery {
  /** Of the weights, that must match. */
  readonly minShare: number;
  /** All by word. */
  readonly weights: readonly number[];
  readonly letters: readonly number[];
  readonly hashes: readonly number[];
  readonly isConnecting: readonly boolean[];
  /** It has more than one word that is not connecting. */
  readonly isLong: boolean;
}

/** Adds the points of a name to its entry, unless too little of the query matches. */
function scoreName(index: SearchIndex, query: WeighedQuery, workspace: SearchWorkspace, slot: number): void {
  const { weights } = query;
  const first = slot * weights.length;
  let [weightSum, matchedWeight, ownLetters, wordSum, points] = [0, 0, 0, 0, 0];
  let [isExact, hasAllWords] = [true, query.isLong];
  for (let word = 0; word < weights.length; word++) {
    const weight = weights[word]!;
    const cell = workspace.cells[first + word]!;
    const isExactWord = cell >>> 1 === QUALITY.exact;
    weightSum += weight;
    points += (cell >>> 1) * weight;
    if (cell > 0) matchedWeight += weight;
    if (cell & 1) {
      ownLetters += query.letters[word]!;
      wordSum += query.hashes[word]!;
    }
    isExact &&= isExactWord;
    hasAllWords &&= isExactWord || query.isConnecting[word]!;
  }
  if (matchedWeight < weightSum * query.minShare) return;
  const name = workspace.names[slot]!;
  const nameLetters = index.nameOwnLetters[name]!;
  const isSame = isExact && ownLetters === nameLetters && ownLetters > 0 && wordSum >>> 0 === index.nameWordSum[name];
  const coverage = nameLetters === 0 ? 0 : Math.min(1, ownLetters / nameLetters);
  const entry = index.nameEntry[name]!;
  const kind = index.nameKind[name]!;
  const total = points / weightSum + (hasAllWords ? POINTS.allWords : 0) + coverage * POINTS.coverage;
  workspace.addPoints(
    entry,
    total + POINTS.kind[kind as 0 | 1 | 2 | 3] + entryPoints(index, entry),
    isSame ? rateExactness('sameWords', kind) : 0,
  );
}

/** Points of an entry whatever the query. */
function entryPoints({ entryImportance, entryStationRank }: SearchIndex, entry: number): number {
  const importance = entryImportance[entry]!;
  const station = POINTS.station[entryStationRank[entry] as 0 | 1 | 2];
  return importance * POINTS.importance + station + (importance === 0 ? POINTS.unserved : 0);
}

function rankEntries(index: SearchIndex, workspace: SearchWorkspace, options: SearchOptions): SearchResult[] {
  const { points, exactness, entries, entryCount } = workspace;
  const best: SearchResult[] = [];
  let mostPoints = 0;
  for (let i = 0; i < entryCount; i++) mostPoints = Math.max(mostPoints, points[entries[i]!]!);
  for (let i = 0; i < entryCount; i++) {
    const entry = entries[i]!;
    if (points[entry]! < mostPoints * MIN_SHARE_OF_BEST && exactness[entry] === 0) continue;
    if (options.accepts && !options.accepts(entry)) continue;
    let score = points[entry]! + exactness[entry]! * EXACT_POINTS;
    if (options.bias) {
      // Computes the distance only where it can decide.
      const last = best.length < options.limit ? undefined : best.at(-1);
      if (last && score + POINTS.bias < last.score) continue;
      score += biasPoints(options.bias, options.coordinates, entry);
    }
    const ownPoints = score - exactness[entry]! * EXACT_POINTS;
    insertResult(index, best, { entry, score, points: ownPoints, exactness: exactness[entry]! }, options.limit);
  }
  return best;
}

function biasPoints(
  { lat, lon }: NonNullable<SearchOptions['bias']>,
  coordinates: SearchOptions['coordinates'],
  entry: number,
): number {
  const distance = distanceMeters(lat, lon, coordinates.lat[entry]!, coordinates.lon[entry]!);
  return Number.isNaN(distance) ? 0 : POINTS.bias / (1 + distance / BIAS_HALF_METERS);
}

/** Keeps the list sorted and within the limit. */
function insertResult(index: SearchIndex, best: SearchResult[], result: SearchResult, limit: number): void {
  if (best.length === limit && compareResults(index, best[limit - 1]!, result) <= 0) return;
  const at = partitionPoint(0, best.length, (position) => compareResults(index, best[position]!, result) <= 0);
  best.splice(at, 0, result);
  if (best.length > limit) best.pop();
}

function compareResults({ entryImportance, entryNameRank }: SearchIndex, a: SearchResult, b: SearchResult): number {
  return (
    b.score - a.score ||
    entryImportance[b.entry]! - entryImportance[a.entry]! ||
    entryNameRank[a.entry]! - entryNameRank[b.entry]!
  );
}
