import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { renderClient } from './render-client.ts';

/* `npm run client`: writes the TypeScript client of the contract to examples/client. */
const folder = projectPath('examples/client');
await mkdir(folder, { recursive: true });
for (const [name, text] of Object.entries(await renderClient())) await writeFile(path.join(folder, name), text);
process.stdout.write('wrote examples/client\n');
