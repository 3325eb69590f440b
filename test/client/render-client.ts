import { readFile } from 'node:fs/promises';
import { CONTRACT_VERSION, definitions } from '../../api/contract/definitions.ts';
import { publishSchema } from '../../api/contract/publish-schema.ts';
import type { RouteContract } from '../../api/contract/route-contract.ts';
import { routes } from '../../api/contract/routes.ts';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { type ContractSchema, renderComment, renderMembers, renderTypes } from './render-types.ts';

const GENERATED = '// Written by `npm run client` from the contract; changes here are lost.\n\n';

/** The files of the TypeScript client: types and `fetch`, without a dependency, with the version of the contract. */
export async function renderClient(): Promise<Readonly<Record<string, string>>> {
  const runtime = await readFile(projectPath('test/client/client-runtime.mjs'), 'utf8');
  return {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'index.js': `${GENERATED}${renderOperations()}\n${runtime}`,
    'index.d.ts': `${GENERATED}${renderDeclarations()}`,
  };
}

const manifest = {
  name: 'taktgeber-client',
  version: CONTRACT_VERSION,
  description: 'Client of the Taktgeber API: types and fetch.',
  license: 'MIT',
  type: 'module',
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
  engines: { node: '>=18' },
};

function renderOperations(): string {
  const lines = routes.map(({ operationId, method, path, otherAnswers = {} }) => {
    const others = Object.keys(otherAnswers).map((status) => `, ${status}`);
    return `  ${operationId}: ['${method}', '${path}'${others.join('')}],\n`;
  });
  return `/** Method and path of each operation, and statuses besides 200 whose body is no problem. */
const operations = {\n${lines.join('')}};\n`;
}

function renderDeclarations(): string {
  const types = publishSchema(definitions) as Readonly<Record<string, ContractSchema>>;
  const inputs = routes.filter(hasInputType).map((route) => renderInput(route));
  const methods = routes.map(renderMethod).join('');
  const rest = [...runtimeTypes, renderClientType(methods), CREATE_CLIENT].map((part) => `export ${part}`);
  return [renderTypes(types), ...inputs, ...rest].join('\n');
}

/** The types of `client-runtime.mjs`. */
const runtimeTypes = [
  `interface ClientOptions {
  /** Address of the service, such as \`https://api.example.org\`. */
  baseUrl: string;
  /** Chosen by the app, one per installation: separates devices behind one address for fair use. */
  installationToken?: string;
  /** Absent: the global one. */
  fetch?: typeof fetch;
}
`,
  `interface RequestOptions {
  /** Cancels the request. */
  signal?: AbortSignal;
}
`,
  `class ProblemError extends Error {
  readonly status: number;
  /** The problem document of the service; null if the response was from something else, such as a proxy. */
  readonly problem: Problem | null;
  /** Wait this long before the next request; null if the response does not say. */
  readonly retryAfterSeconds: number | null;
}
`,
];

const CREATE_CLIENT = 'function createClient(options: ClientOptions): Client;\n';

const renderClientType = (methods: string) => `interface Client {\n${methods}}\n`;

const inputName = ({ operationId }: RouteContract) => `${operationId[0]!.toUpperCase()}${operationId.slice(1)}Input`;

/** Whether the parameters of a route need a type; a body has one in the contract. */
const hasInputType = (route: RouteContract) => !route.bodyType && Object.keys(readInput(route).properties!).length > 0;

/** The parameters of path and query as one object. */
function readInput({ params, query }: RouteContract): ContractSchema {
  const parts = [params, query].map((part) => publishSchema(part ?? {}) as ContractSchema);
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  };
}

function renderInput(route: RouteContract): string {
  const comment = `/** Parameters of \`${route.method} ${route.path}\`. */\n`;
  return `${comment}export interface ${inputName(route)} {\n${renderMembers(readInput(route))}}\n`;
}

function renderMethod(route: RouteContract): string {
  const comment = renderComment(`\`${route.method} ${route.path}\`: ${route.summary}`, '  ');
  return `${comment}  ${route.operationId}(${renderInputParameter(route)}, options?: RequestOptions): Promise<${route.answer ?? 'unknown'}>;\n`;
}

function renderInputParameter(route: RouteContract): string {
  if (route.bodyType) return `body: ${route.bodyType}`;
  if (!hasInputType(route)) return 'input?: Record<string, never>';
  const isRequired = readInput(route).required!.length > 0;
  return `input${isRequired ? '' : '?'}: ${inputName(route)}`;
}
