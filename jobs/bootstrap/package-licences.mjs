import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Lists the packages whose code a bundle holds.
 * @param {readonly { type: string, moduleIds?: readonly string[] }[]} output of the bundler
 * @returns {string[]} their folders
 */
export function listBundledPackages(output) {
  const ids = output.flatMap(({ moduleIds = [] }) => moduleIds);
  const folders = ids.map((id) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.split(path.sep).join('/'))?.[1]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

/**
 * The terms of packages, with their notices: most ask to be passed on with the code.
 * @param {readonly string[]} folders of the packages
 * @throws Error if a package states its licence in no file
 */
export function renderLicences(folders) {
  return folders.map(renderLicence).join(`\n${'-'.repeat(80)}\n\n`);
}

function renderLicence(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const terms = findTerms(folder);
  if (terms.length === 0) throw new Error(`${name} states its licence in no file`);
  return `${name} ${version} (${license})\n\n${terms.join('\n\n')}\n`;
}

/** @returns the licence and the notices of a package, else what its description says about the licence */
function findTerms(folder) {
  const files = readdirSync(folder);
  const read = (name) =>
    files.filter((file) => name.test(file)).map((file) => readFileSync(path.join(folder, file), 'utf8'));
  const licences = read(/^licen[cs]e/i);
  const texts = licences.length > 0 ? [...licences, ...read(/^notice/i)] : read(/^readme/i).flatMap(findLicenceSection);
  return texts.map((text) => text.trim());
}

function findLicenceSection(description) {
  return /^#+ licen[cs]e\b[\s\S]*?(?=^#|(?![\s\S]))/im.exec(description) ?? [];
}
