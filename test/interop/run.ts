import process from 'node:process';
import { readCompose } from './compose.ts';
import { lintDockerfile } from './dockerfile.ts';
import { readIcebergTables } from './iceberg.ts';
import { buildAndRunImage } from './image.ts';
import { checkWithPromtool } from './promtool.ts';
import { completeInShells } from './shells.ts';
import { checkUnit } from './systemd.ts';

/** What other programs read, checked by them. Each check throws an Error that says what is wrong or missing. */
const checks: Readonly<Record<string, () => Promise<string>>> = {
  'metrics and alert rules, by promtool of Prometheus': checkWithPromtool,
  'completion, by bash, zsh and fish': completeInShells,
  'systemd unit, by systemd-analyze': checkUnit,
  'Dockerfile, by hadolint': lintDockerfile,
  'compose.yaml, by Docker Compose': readCompose,
  'Iceberg tables, by PyIceberg and DuckDB': readIcebergTables,
  'container image, built and run by buildah': buildAndRunImage,
};

/** Only the checks whose names contain this word, e.g. `shells`; all without it. */
const wanted = process.argv[2] ?? '';

let failed = 0;
for (const [name, check] of Object.entries(checks).filter(([name]) => name.includes(wanted))) {
  try {
    process.stdout.write(`ok      ${name}: ${await check()}\n`);
  } catch (error) {
    failed += 1;
    process.stdout.write(`FAILED  ${name}: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}
process.exitCode = failed > 0 ? 1 : 0;
