// Entry point of npm's scripts: installs and builds if needed, then runs one task. Plain JavaScript without packages,
// because it must work before anything is installed or built.
import process from 'node:process';
import { describeNodeProblem } from './bootstrap/node-version.mjs';

const complaint = describeNodeProblem(process.versions.node);
if (complaint === null) {
  // Imported after the version check: an old Node may be unable to parse these files.
  import('./bootstrap/tasks.mjs').then(({ runTask }) => runTask(process.argv[2], process.argv.slice(3)));
} else {
  process.stderr.write(`${complaint}\n`);
  process.exitCode = 1;
}
