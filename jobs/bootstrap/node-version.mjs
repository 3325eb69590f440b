const OLDEST = [20, 19];

/**
 * @param {string} version as in `20.19.1`
 * @returns {string | null} an error message; null when this version is supported
 */
export function describeNodeProblem(version) {
  const [major, minor] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return null;
  return `taktgeber needs Node ${OLDEST.join('.')} or later; this is Node ${version}. See https://nodejs.org`;
}
