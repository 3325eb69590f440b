/** A series of a scrape. */
interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Scrape {
  /** By name of the metric: what HELP and TYPE say. */
  readonly families: ReadonlyMap<string, { readonly help: string; readonly type: string }>;
  readonly series: readonly Series[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const SERIES = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (\\S+)$`);
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/;

/**
 * Reads the text format of Prometheus strictly, from its description and not from the library that writes it.
 * @throws Error for an invalid line, a series without HELP and TYPE before it, and one that comes twice
 */
export function parseMetrics(text: string): Scrape {
  const families = new Map<string, { help: string; type: string }>();
  const series: Series[] = [];
  const seen = new Set<string>();
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, kind, name, rest] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === 'HELP') families.set(name!, { help: rest!, type: '' });
    else if (kind === 'TYPE') families.get(name!)!.type = rest!;
    else {
      const one = parseSeries(line);
      if (!families.get(familyOf(one.name, families))?.type) throw new Error(`${line} has no HELP and TYPE`);
      const key = JSON.stringify([one.name, Object.entries(one.labels).sort()]);
      if (seen.has(key)) throw new Error(`${line} comes twice`);
      seen.add(key);
      series.push(one);
    }
  }
  return { families, series };
}

/** A histogram has three names. */
function familyOf(name: string, families: Scrape['families']): string {
  const base = name.replace(/_(bucket|sum|count)$/, '');
  return families.get(base)?.type === 'histogram' ? base : name;
}

function parseSeries(line: string): Series {
  const [, name, inside = '', value] = SERIES.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new Error(`"${line}" is no series`);
  const labels: Record<string, string> = {};
  for (let rest = inside; rest !== ''; ) {
    const [whole, label, text] = LABEL.exec(rest) ?? [];
    if (whole === undefined) throw new Error(`"${line}" has no such labels`);
    labels[label!] = text!.replace(/\\(.)/g, (_all, sign: string) => (sign === 'n' ? '\n' : sign));
    rest = rest.slice(whole.length);
  }
  const number = value === '+Inf' ? Infinity : Number(value);
  if (Number.isNaN(number)) throw new Error(`"${line}" has no number`);
  return { name, labels, value: number };
}

/** The value of one series; undefined if it is missing. */
export function findValue({ series }: Scrape, name: string, labels: Record<string, string> = {}): number | undefined {
  const isMeant = (one: Series) =>
    one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value);
  const found = series.filter(isMeant);
  if (found.length > 1) throw new Error(`${name} ${JSON.stringify(labels)} means ${found.length} series`);
  return found[0]?.value;
}
