import { parseSync } from 'rolldown/utils';

/** What kind of text a banned expression is looked for in. */
type TextKind = 'name' | 'prose';

/** One finding: where, which text, and what to write instead. */
interface WordFinding {
  readonly file: string;
  readonly line: number;
  readonly found: string;
  readonly instead: string;
}

interface BannedExpression {
  readonly kinds: readonly TextKind[];
  readonly pattern: RegExp;
  readonly instead: string;
}

const ACTORS =
  '(?:job|file|files|jobs|service|services|machine|machines|table|tables|poller|pollers|planner|api|page|pages|store|process|processes|replica|replicas|snapshot|snapshots|source|sources|feed|feeds|publisher|publishers|program|programs|thread|threads|browser|app|apps)';

/** Words of the style guide's table and vocabulary that no text may use; names are split into their words first. */
const BANNED: readonly BannedExpression[] = [
  { kinds: ['name', 'prose'], pattern: /\banew\b/i, instead: 'again, or the verb: rebuild, reload' },
  { kinds: ['name', 'prose'], pattern: /\bsightings?\b/i, instead: 'observation' },
  { kinds: ['name', 'prose'], pattern: /\bforeseen\b/i, instead: 'estimated, expected' },
  {
    kinds: ['name', 'prose'],
    pattern: /\bhappenings?\b/i,
    instead: 'the events of a call: observed or estimated times',
  },
  {
    kinds: ['name', 'prose'],
    pattern: /\b(?:told|tells|telling)\b/i,
    instead: 'reported, emitted, published; it says',
  },
  {
    kinds: ['name'],
    pattern: /\b(?:tell|hear|heard|hears|ask|asks|asked|asking|asker|spoken|somebody)\b/,
    instead: 'report, receive, request, query, fetch',
  },
  { kinds: ['name', 'prose'], pattern: /\blanes?\b/i, instead: 'route (planner); concurrency, worker' },
  {
    kinds: ['name'],
    pattern: /\b(?:moment|moments|figure|figures)\b/,
    instead: 'instant, time; metric, value, number',
  },
  { kinds: ['prose'], pattern: /\b(?:moments?|figures?)\b/i, instead: 'instant, time; metric, value, number' },
  { kinds: ['name'], pattern: /\bwhy\b/, instead: 'reason' },
  {
    kinds: ['prose'],
    pattern: /\bpromises? (?:is |are |was |were )?(?:broken|kept)\b|\bbroken promises?\b/i,
    instead: 'an alert is firing',
  },
  { kinds: ['prose'], pattern: /\bthe world (?:fails|failed|outside)\b|\bfrom the world\b/i, instead: 'I/O' },
  { kinds: ['prose'], pattern: /\bof (?:its|their|our|his|one's) own\b/i, instead: 'separate, dedicated, own' },
  { kinds: ['prose'], pattern: /\bof (?:ours|theirs)\b/i, instead: 'our, their' },
  { kinds: ['prose'], pattern: /\b(?:somebody|be it)\b/i, instead: 'the traveller, the user; whether' },
  { kinds: ['prose'], pattern: /\b(?:is|are|was|were) none of\b|\bnone of it\b/i, instead: 'is not, there is no' },
  { kinds: ['prose'], pattern: /\bby halves\b/i, instead: 'partially' },
  { kinds: ['prose'], pattern: /\bgives? way\b/i, instead: 'is discarded, is replaced' },
  { kinds: ['prose'], pattern: /\bcomes? to what\b/i, instead: 'results in, is' },
  { kinds: ['prose'], pattern: /\bat rest\b/i, instead: 'unchanged' },
  { kinds: ['prose'], pattern: /\bwith success\b/i, instead: 'successfully' },
  { kinds: ['prose'], pattern: /\bat the moment\b/i, instead: 'now, currently' },
  { kinds: ['prose'], pattern: /\bin hand\b/i, instead: 'current, in progress' },
  { kinds: ['prose'], pattern: /\b(?:this|that|it) is no [a-z]/i, instead: 'this is not a …' },
  { kinds: ['prose'], pattern: /\b(?:does|do) without\b/i, instead: 'has no, does not need' },
  { kinds: ['prose'], pattern: /\bsave (?:that|those|where|for|when)\b/i, instead: 'except' },
  { kinds: ['prose'], pattern: /\botherwise than\b/i, instead: 'differently from' },
  {
    kinds: ['prose'],
    pattern: new RegExp(
      `\\b${ACTORS} (?:does not |do not |never |still |also )?(?:know|knows|tell|tells|hear|hears|ask|asks|believe|believes|learn|learns|want|wants|see|sees)\\b`,
      'i',
    ),
    instead: 'say who reads, requests, receives or stores what',
  },
];

/** Findings in one file. TypeScript: names, comments and texts; SQL: comments; Markdown: everything outside code. */
export function findBannedWords(file: string, text: string): readonly WordFinding[] {
  if (file.endsWith('.ts')) return findInTypeScript(file, text);
  const prose = file.endsWith('.sql') ? keepSqlComments(text) : blank(text, /```[\s\S]*?```|`[^`\n]*`|\]\([^)]*\)/g);
  return findInText('prose', file, prose, 0, prose);
}

function findInTypeScript(file: string, text: string): readonly WordFinding[] {
  const { program, comments } = parseSync(file, text);
  const findings: WordFinding[] = [];
  const add = (kind: TextKind, words: string, start: number) =>
    findings.push(...findInText(kind, file, words, start, text));
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (isNode(node)) {
      if (node.type === 'Identifier') add('name', splitName(String(node.name)), node.start);
      else if (isProse(node)) add('prose', text.slice(node.start, node.end), node.start);
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(program);
  for (const { start, end } of comments) add('prose', blank(text.slice(start, end), /`[^`\n]*`/g), start);
  return findings;
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly name?: unknown;
  readonly value?: unknown;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** Texts, without names of modules and codes. */
function isProse(node: SyntaxNode): boolean {
  if (node.type === 'TemplateElement') return true;
  return node.type === 'Literal' && typeof node.value === 'string' && /\s/.test(node.value);
}

function splitName(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
}

function keepSqlComments(text: string): string {
  return text.replaceAll(
    /^(.*?)(--.*)?$/gm,
    (_, code: string, comment: string | undefined) => ' '.repeat(code.length) + (comment ?? ''),
  );
}

function blank(text: string, pattern: RegExp): string {
  return text.replaceAll(pattern, (match) => match.replaceAll(/[^\n]/g, ' '));
}

function findInText(kind: TextKind, file: string, words: string, start: number, text: string): readonly WordFinding[] {
  // Comments and paragraphs break lines in the middle of expressions.
  const flat = words.replaceAll(/\n[ \t]*(?:\*|\/\/|--)?[ \t]*/g, (gap) => ' '.padEnd(gap.length));
  if (!anyOf[kind].test(flat)) return [];
  const findings: WordFinding[] = [];
  for (const { kinds, pattern, instead } of BANNED) {
    if (!kinds.includes(kind)) continue;
    for (const match of flat.matchAll(new RegExp(acrossLines(pattern), `g${pattern.flags}`))) {
      const line = text.slice(0, start + match.index).split('\n').length;
      findings.push({ file, line, found: flat.trim() === match[0] || kind === 'prose' ? match[0] : words, instead });
    }
  }
  return findings;
}

/** Any of the expressions of a kind, because nearly all texts have none. */
const anyOf: Readonly<Record<TextKind, RegExp>> = { name: anyExpression('name'), prose: anyExpression('prose') };

function anyExpression(kind: TextKind): RegExp {
  const patterns = BANNED.filter(({ kinds }) => kinds.includes(kind)).map(({ pattern }) => acrossLines(pattern));
  return new RegExp(patterns.join('|'), 'i');
}

function acrossLines({ source }: RegExp): string {
  return source.replaceAll(' ', String.raw`\s+`);
}
