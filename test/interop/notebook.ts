import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { writeLakeGuide } from '../../pipeline/guide/write-lake-guide.ts';
import { writeLake } from './published-lake.ts';
import { installPythonPackages, runTool } from './tools.ts';

const PACKAGES = [
  'duckdb==1.5.5',
  'pandas==3.1.1',
  'matplotlib==3.11.2',
  'nbclient==0.11.0',
  'nbformat==5.11.1',
  'ipykernel==7.4.0',
];
/** Runs a notebook from its first cell to its last, and prints how many of its cells with code have an output. */
const RUN_CELLS = `
import json, sys
import nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
nbformat.validate(notebook)
NotebookClient(notebook, timeout=120).execute()
cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
print(json.dumps({"cells": len(cells), "withOutput": sum(1 for cell in cells if cell.outputs)}))
`;

/** Runs the notebook of the examples on a lake of some days. @throws Error if a cell fails or shows nothing */
export async function runNotebook(): Promise<string> {
  const python = await installPythonPackages('notebook', PACKAGES);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'taktgeber-interop-notebook-'));
  try {
    await writeLake(dataDir);
    await writeLakeGuide(dataDir);
    const notebook = projectPath('examples/analysts/punctuality.ipynb');
    const lake = `TAKTGEBER_LAKE=${path.join(dataDir, 'lake')}`;
    const output = await runTool('env', [lake, python, '-c', RUN_CELLS, notebook], '', dataDir);
    const { cells, withOutput } = JSON.parse(output.trim().split('\n').at(-1)!);
    if (withOutput !== cells) throw new Error(`only ${withOutput} of ${cells} cells with code show something`);
    return `${cells} cells with code, each with an output`;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
