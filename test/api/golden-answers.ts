import { stat } from 'node:fs/promises';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { expect } from 'vitest';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { expectValidAnswer } from '../support/checks/contract-validator.ts';
import { expectGolden } from '../support/checks/golden.ts';

/** Golden files are formatted for reading. */
const MAX_BYTES = 40_000;

/** Compares a response, with its request and relevant headers, with the contract and a golden file. */
export async function expectGoldenAnswer(
  app: FastifyInstance,
  name: string,
  type: string,
  request: InjectOptions,
): Promise<void> {
  const { statusCode: status, headers, json } = await app.inject(request);
  const body = json();
  await expectValidAnswer(type, body);
  const kept = { 'content-type': headers['content-type'], 'cache-control': headers['cache-control'] };
  const file = projectPath(`test/api/golden/${name}.json`);
  await expectGolden(file, { request, status, headers: kept, body });
  expect((await stat(file)).size).toBeLessThan(MAX_BYTES);
}
