// What npm's scripts run: makes a fresh clone ready and then runs one task. Plain JavaScript and nothing but Node,
// because it must work before anything is installed or built.
import process from 'node:process';
import { complainAboutNode } from './bootstrap/node-version.mjs';

const complaint = complainAboutNode(process.versions.node);
if (complaint === null) {
  // Loaded late: an old Node may not even understand these files.
  import('./bootstrap/tasks.mjs').then(({ runTask }) => runTask(process.argv[2], process.argv.slice(3)));
} else {
  process.stderr.write(`${complaint}\n`);
  process.exitCode = 1;
}
