import { it } from 'vitest';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { compileProgram } from '../support/compiled-program.ts';
it('c', async () => { const f = await compileProgram('test/tmp-lake/perf.ts'); await cp(path.resolve(f, '../../..'), '/work/main/dist/perfx', { recursive: true }); });
