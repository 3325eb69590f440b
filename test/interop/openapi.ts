import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildOpenApiDocument } from '../../api/contract/openapi-document.ts';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { withSampleService } from './services/sample-service.ts';
import { installNpmPackages, installPythonPackages, runTool } from './tools.ts';

const LINTERS = ['@stoplight/spectral-cli@6.16.3', '@redocly/cli@2.77.0'];
/** openapi-typescript prints with TypeScript 5; the client is also compiled with 7. */
const GENERATORS = ['openapi-typescript@7.13.0', 'typescript@5.9.3'];
const TYPESCRIPT_7 = ['typescript@7.0.2'];
const SCHEMATHESIS = ['schemathesis==4.32.5'];
/** About 5,000 requests. */
const EXAMPLES_PER_OPERATION = 60;

/**
 * Lints the OpenAPI document with the recommended rules of Spectral and Redocly, and compiles clients that are generated from
 * it, and our own, with TypeScript 5 and 7.
 * @returns a summary of what was checked
 */
export async function checkOpenApiDocument(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-interop-openapi-'));
  try {
    const document = path.join(folder, 'openapi.json');
    const { paths } = buildOpenApiDocument({ baseUrl: 'https://api.example.org' });
    await writeFile(document, JSON.stringify(buildOpenApiDocument({ baseUrl: 'https://api.example.org' })));
    await lint(folder, document);
    await compileTypeScript(folder, document);
    return `${Object.keys(paths).length} paths; no finding of Spectral and Redocly; clients compile: ours and openapi-typescript's with TypeScript 5 and 7`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function lint(folder: string, document: string): Promise<void> {
  const bin = await installNpmPackages('openapi-linters', LINTERS);
  const ruleset = path.join(folder, 'spectral.yaml');
  await writeFile(ruleset, 'extends: ["spectral:oas"]\n');
  await runTool(path.join(bin, 'spectral'), ['lint', document, '--ruleset', ruleset, '--fail-severity', 'hint'], '');
  const output = await runTool(path.join(bin, 'redocly'), ['lint', document, '--extends', 'recommended'], '');
  if (/\bwarning/i.test(output.replace(/^.*Deprecation.*$/m, ''))) throw new Error(output);
}

async function compileTypeScript(folder: string, document: string): Promise<void> {
  const bin = await installNpmPackages('openapi-generators', GENERATORS);
  const types = path.join(folder, 'openapi-types.ts');
  await runTool(path.join(bin, 'openapi-typescript'), [document, '--output', types], '');
  const client = path.join(folder, 'client.d.ts');
  await writeFile(client, await readFile(projectPath('examples/client/index.d.ts')));
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext'];
  for (const compiler of [bin, await installNpmPackages('typescript-7', TYPESCRIPT_7)]) {
    await runTool(path.join(compiler, 'tsc'), [...options, types, client], '', folder);
  }
}

/**
 * Sends what Schemathesis derives from the OpenAPI document to a service with the sample.
 * Left out: `positive_data_acceptance`, as the document cannot say which days are loaded, which sources exist, or that a watch
 * ends in the future; the metro, whose source is not polled here, so that it is a documented 503.
 */
export async function fuzzWithSchemathesis(): Promise<string> {
  const python = await installPythonPackages('schemathesis', SCHEMATHESIS);
  const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-interop-schemathesis-'));
  try {
    return await withSampleService(async (url) => {
      const program = path.join(path.dirname(python), 'schemathesis');
      const output = await runTool(program, schemathesisOptions(url), '', folder);
      const generated = /([\d,]+) generated/.exec(output)?.[1];
      if (generated === undefined) throw new Error(`Schemathesis did not report its cases: ${output}`);
      return `${generated} cases on ${/Tested: (\d+)/.exec(output)?.[1]} operations, none failed`;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const schemathesisOptions = (url: string) => [
  'run',
  `${url}/openapi.json`,
  '--exclude-path',
  '/v1/city-transit/metro',
  '--exclude-checks',
  'positive_data_acceptance',
  '--max-examples',
  String(EXAMPLES_PER_OPERATION),
  '--seed',
  '1',
  '--suppress-health-check',
  'all',
  '--request-timeout',
  '30',
];
