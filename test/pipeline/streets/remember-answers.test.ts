import { describe, expect, it } from 'vitest';
import { rememberAnswers } from '../../../pipeline/streets/remember-answers.ts';
import type { StreetAction } from '../../../pipeline/streets/street-engine.ts';

function countRequests(answer: (query: string) => string) {
  const requests: string[] = [];
  return {
    requests,
    request: async (action: StreetAction, query: string) => {
      requests.push(`${action} ${query}`);
      return answer(query);
    },
  };
}

describe('remembered answers of the street engine', () => {
  it('asks once for equal requests, and again for another action or query', async () => {
    const engine = countRequests((query) => `answer to ${query}`);
    const { request } = rememberAnswers(engine);
    expect(await request('matrix', 'a')).toBe('answer to a');
    expect(await request('matrix', 'a')).toBe('answer to a');
    await request('route', 'a');
    await request('matrix', 'b');
    expect(engine.requests).toEqual(['matrix a', 'route a', 'matrix b']);
  });

  it('asks again after an error', async () => {
    let fails = true;
    const engine = countRequests(() => {
      if (fails) throw new Error('no memory');
      return 'answer';
    });
    const { request } = rememberAnswers(engine);
    await expect(request('route', 'a')).rejects.toThrow('no memory');
    fails = false;
    expect(await request('route', 'a')).toBe('answer');
  });

  it('forgets the answers that were not requested for the longest time', async () => {
    const engine = countRequests((query) => query);
    const { request } = rememberAnswers(engine, 4);
    for (const query of ['a', 'b', 'c', 'd', 'e', 'a', 'e']) await request('route', query);
    expect(engine.requests.map((one) => one.slice(-1))).toEqual(['a', 'b', 'c', 'd', 'e', 'a']);
  });
});
