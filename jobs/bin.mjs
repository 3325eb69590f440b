#!/usr/bin/env node
// The program `taktgeber`: the same preparations as `npm start`, without output when there is nothing to prepare.
import process from 'node:process';
import { describeNodeProblem } from './bootstrap/node-version.mjs';

const complaint = describeNodeProblem(process.versions.node);
if (complaint === null) {
  import('./bootstrap/tasks.mjs').then(({ runProgram }) => runProgram());
} else {
  process.stderr.write(`${complaint}\n`);
  process.exitCode = 1;
}
