import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildOpenApiDocument } from '../../api/contract/openapi-document.ts';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { findFreePort } from '../support/fakes/free-port.ts';
import { CLI, runCli } from './run-cli.ts';
import { installNpmPackages, installPythonPackages, runTool } from './tools.ts';

const LINTERS = ['@stoplight/spectral-cli@6.16.3', '@redocly/cli@2.77.0'];
const GENERATORS = ['openapi-typescript@7.13.0', 'typescript@5.9.3'];
const PYTHON_CLIENT = ['openapi-python-client==0.29.1', 'ruff==0.17.6', 'httpx', 'attrs', 'python-dateutil'];
/** Imports every module of the generated package, and prints how many there are. */
const IMPORT_ALL = `
import importlib, pkgutil, taktgeber_client
names = [module.name for module in pkgutil.walk_packages(taktgeber_client.__path__, 'taktgeber_client.')]
for name in names: importlib.import_module(name)
print(len(names))
`;
const SCHEMATHESIS = ['schemathesis==4.32.5'];
/** About 5,000 requests. */
const EXAMPLES_PER_OPERATION = 60;
const START_ATTEMPTS = 120;

/**
 * Lints the OpenAPI document with the recommended rules of Spectral and Redocly, and compiles clients that are generated from
 * it, and our own, with TypeScript 5.
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
    const modules = await importPython(folder, document);
    return `${Object.keys(paths).length} paths; no finding of Spectral and Redocly; clients compile: ours and openapi-typescript's with TypeScript 5; ${modules} modules of openapi-python-client's import`;
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
  await runTool(path.join(bin, 'tsc'), [...options, types, client], '', folder);
}

/** @returns the number of modules */
async function importPython(folder: string, document: string): Promise<number> {
  const python = await installPythonPackages('openapi-python-client', PYTHON_CLIENT);
  const output = path.join(folder, 'python');
  const generator = path.join(path.dirname(python), 'openapi-python-client');
  const variables = ['env', `PATH=${path.dirname(python)}:${process.env.PATH ?? ''}`];
  const generate = [generator, 'generate', '--path', document, '--output-path', output, '--fail-on-warning'];
  await runTool(variables[0]!, [variables[1]!, ...generate], '');
  // Not by a type checker: the generator shadows a member that has the name of its type.
  return Number(await runTool(python, ['-c', IMPORT_ALL], '', output));
}

/**
 * Sends what Schemathesis derives from the OpenAPI document to a service with the sample.
 * Left out: `positive_data_acceptance`, as the document cannot say which days are loaded, which sources exist, or that a watch
 * ends in the future; the metro, whose source is not polled here, so that it is a documented 503.
 */
export async function fuzzWithSchemathesis(): Promise<string> {
  const python = await installPythonPackages('schemathesis', SCHEMATHESIS);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-interop-schemathesis-'));
  try {
    await runCli(dataDir, {}, 'run', 'ingest-timetable');
    return await withService(dataDir, async (url) => {
      const output = await runTool(
        path.join(path.dirname(python), 'schemathesis'),
        schemathesisOptions(url),
        '',
        dataDir,
      );
      const generated = /([\d,]+) generated/.exec(output)?.[1];
      if (generated === undefined) throw new Error(`Schemathesis did not report its cases: ${output}`);
      return `${generated} cases on ${/Tested: (\d+)/.exec(output)?.[1]} operations, none failed`;
    });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
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

async function withService(dataDir: string, use: (url: string) => Promise<string>): Promise<string> {
  const port = String(await findFreePort());
  const environment = {
    ...process.env,
    TAKTGEBER_CONFIG: '',
    TAKTGEBER_METRICS_IS_ENABLED: 'false',
    TAKTGEBER_FAIR_USE_UNITS_PER_MINUTE: '0',
    TAKTGEBER_LOG_LEVEL: 'error',
  };
  const argv = [CLI, 'serve', '--data', dataDir, '--port', port];
  const child = spawn(process.execPath, argv, { cwd: dataDir, env: environment, stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  try {
    await waitUntilReady(url);
    return await use(url);
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

async function waitUntilReady(url: string): Promise<void> {
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt += 1) {
    const isReady = await fetch(`${url}/v2/meta`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await sleep(500);
  }
  throw new Error(`the service at ${url} did not start`);
}
