import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildOpenApiDocument } from '../../api/contract/openapi-document.ts';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { findJdk, getMavenFile } from './services/java.ts';
import { withSampleService } from './services/sample-service.ts';
import { findSwift } from './services/swift.ts';
import { installPythonPackages, runTool } from './tools.ts';

const GENERATOR = 'org.openapitools:openapi-generator-cli:7.25.0';
/** For openapi-generator and Kotlin. */
const JAVA = [17, 25] as const;
const PYTHON_GENERATOR = ['openapi-python-client==0.29.1', 'ruff==0.17.6', 'httpx', 'attrs', 'python-dateutil'];
/** Imports every module of the generated package. Python type checkers reject names that the generator shadows. */
const IMPORT_ALL = `
import importlib, pkgutil, taktgeber_client
for module in pkgutil.walk_packages(taktgeber_client.__path__, 'taktgeber_client.'): importlib.import_module(module.name)
`;
const STOP = 'Meidling';
/** The output of an example: the name of the stop, then its departures. Maven prints colour codes before it. */
const BOARD = /Wien Meidling\n((?:\d{2}:\d{2} {2}.*\n)+)/;

/** Compiles an example with a client generated from a document, and returns a function that runs it. */
type Compile = (folder: string, document: string) => Promise<(api: string) => Promise<string>>;

/** Generates a Kotlin client with Maven, compiles it with its example, and runs the example against the service. */
export const checkKotlinClient = () => runExample(compileKotlin);

/** Generates a Swift client, compiles it with its example, and runs the example against the service. */
export const checkSwiftClient = () => runExample(compileSwift);

/** Generates a Python client, and runs its example and the one with the standard library against the service. */
export const checkPythonClient = () => runExample(generatePython);

async function runExample(compile: Compile): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-interop-client-'));
  try {
    const document = path.join(folder, 'openapi.json');
    await writeFile(document, JSON.stringify(buildOpenApiDocument({ baseUrl: 'https://api.example.org' })));
    const run = await compile(folder, document);
    return await withSampleService(async (api) => {
      const output = await run(api);
      const rows = BOARD.exec(output)?.[1]?.trim().split('\n');
      if (!rows) throw new Error(`the example shows no board: ${output}`);
      return `generated without a change, and its example shows ${rows.length} departures`;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const compileKotlin: Compile = async (folder, document) => {
  const project = path.join(folder, 'kotlin');
  await cp(projectPath('examples/kotlin'), project, { recursive: true });
  const home = `JAVA_HOME=${await findJdk(JAVA)}`;
  const maven = (...goals: readonly string[]) =>
    runTool('env', [home, 'mvn', '--batch-mode', '--quiet', `-Dopenapi=${document}`, ...goals], '', project);
  await maven('compile');
  return (api) => maven('exec:java', `-Dexec.args=${STOP} ${api}`);
};

const compileSwift: Compile = async (folder, document) => {
  const swift = await findSwift();
  const project = path.join(folder, 'swift');
  await mkdir(project);
  const java = path.join(await findJdk(JAVA), 'bin', 'java');
  const generate = ['generate', '-g', 'swift6', '-i', document, '-o', 'Client'];
  const options = ['--additional-properties=projectName=TaktgeberClient'];
  await runTool(java, ['-jar', await getMavenFile(GENERATOR), ...generate, ...options], '', project);
  const client = path.join(project, 'Client', 'Sources');
  const files = await readdir(client, { recursive: true });
  const sources = files.filter((file) => file.endsWith('.swift')).map((file) => path.join(client, file));
  const example = path.join(project, 'main.swift');
  await cp(projectPath('examples/swift/main.swift'), example);
  const library = path.join(project, 'libMobileCoreServices.a');
  const standIn = path.join(project, 'MobileCoreServices.swift');
  await cp(projectPath('test/interop/programs/MobileCoreServices.swift'), standIn);
  const asLibrary = ['-emit-library', '-static', '-emit-module', '-module-name', 'MobileCoreServices'];
  await swift('swiftc', [
    ...asLibrary,
    '-emit-module-path',
    `${project}/MobileCoreServices.swiftmodule`,
    '-o',
    library,
    standIn,
  ]);
  const program = path.join(project, 'departures');
  await swift('swiftc', ['-o', program, '-I', project, '-L', project, '-lMobileCoreServices', example, ...sources]);
  return (api) => swift(program, [STOP, api]);
};

const generatePython: Compile = async (folder, document) => {
  const python = await installPythonPackages('openapi-python-client', PYTHON_GENERATOR);
  const client = path.join(folder, 'client');
  const bin = path.dirname(python);
  const generate = [path.join(bin, 'openapi-python-client'), 'generate', '--path', document, '--output-path', client];
  await runTool('env', [`PATH=${bin}:/usr/bin:/bin`, ...generate, '--fail-on-warning'], '');
  const variables = `PYTHONPATH=${client}`;
  await runTool('env', [variables, python, '-c', IMPORT_ALL], '');
  const example = projectPath('examples/python/generated_client.py');
  return async (api) => {
    const plain = await runTool(python, [projectPath('examples/python/departures.py'), STOP, '--api', api], '');
    if (!BOARD.test(plain)) throw new Error(`departures.py shows no board: ${plain}`);
    return await runTool('env', [variables, python, example, STOP, api], '');
  };
};
