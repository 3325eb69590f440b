import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Html, html } from './html.ts';

/** The answer of a data route to a page: JSON, or the code of a problem. */
type PageAnswer =
  | { readonly isOk: true; readonly value: unknown; readonly text: string; readonly date: string }
  | { readonly isOk: false; readonly code: string; readonly detail: string };

/** Answers by path. */
export type PageAnswers = ReadonlyMap<string, PageAnswer>;

/**
 * Requests the data of a page, which its script would otherwise do. These are separate requests of the same client:
 * validated, cached, logged, counted by route, and charged to fair use, since the page itself costs nothing.
 * @param paths of data routes
 */
export async function readPageAnswers(
  app: FastifyInstance,
  { ip }: Pick<FastifyRequest, 'ip'>,
  paths: readonly string[],
): Promise<PageAnswers> {
  const read = async (path: string): Promise<readonly [string, PageAnswer]> => {
    const { statusCode, body, headers } = await app.inject({ url: path, remoteAddress: ip });
    if (statusCode === 200) return [path, { isOk: true, value: JSON.parse(body), text: body, date: headers.date! }];
    return [path, { isOk: false, ...readProblem(body) }];
  };
  return new Map(await Promise.all(paths.map(read)));
}

function readProblem(body: string): { readonly code: string; readonly detail: string } {
  try {
    const { code = '', detail = '' } = JSON.parse(body) as { readonly code?: string; readonly detail?: string };
    return { code, detail };
  } catch {
    return { code: '', detail: '' };
  }
}

/** The value of an answer; null without one, and for a problem. */
export function findAnswer<Value>(answers: PageAnswers, path: string | null): Value | null {
  const answer = path === null ? undefined : answers.get(path);
  return answer?.isOk ? (answer.value as Value) : null;
}

/** Code of the problem that a data route returned; null if it returned none. */
export function findProblem(answers: PageAnswers, path: string | null): string | null {
  const answer = path === null ? undefined : answers.get(path);
  return answer && !answer.isOk ? answer.code : null;
}

/** Text of such a problem, which is meant for developers; `null` if there is none. */
export function findProblemDetail(answers: PageAnswers, path: string): string | null {
  const answer = answers.get(path);
  return answer && !answer.isOk ? answer.detail : null;
}

/** The answers as data blocks, which browsers do not execute. */
export function embedAnswers(answers: PageAnswers): readonly Html[] {
  return [...answers].flatMap(([path, answer]) => {
    if (!answer.isOk) return [];
    // A text in the data must not end the element.
    const data: Html = { markup: answer.text.replaceAll('<', '\\u003c') };
    return [html`<script type="application/json" data-answer-of="${path}" data-date="${answer.date}">${data}</script>`];
  });
}
