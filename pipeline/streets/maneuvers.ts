/**
 * Kinds of manoeuvre by the number that the street engine gives them.
 * @see Valhalla, "Turn-by-turn routing API", table of maneuver types
 */
const maneuvers: Readonly<Record<number, string>> = {
  1: 'start',
  2: 'startRight',
  3: 'startLeft',
  4: 'destination',
  5: 'destinationRight',
  6: 'destinationLeft',
  7: 'nameChange',
  8: 'continue',
  9: 'turnSlightRight',
  10: 'turnRight',
  11: 'turnSharpRight',
  12: 'uTurnRight',
  13: 'uTurnLeft',
  14: 'turnSharpLeft',
  15: 'turnLeft',
  16: 'turnSlightLeft',
  17: 'rampStraight',
  18: 'rampRight',
  19: 'rampLeft',
  20: 'exitRight',
  21: 'exitLeft',
  22: 'keepStraight',
  23: 'keepRight',
  24: 'keepLeft',
  25: 'merge',
  26: 'roundaboutEnter',
  27: 'roundaboutExit',
  28: 'ferryEnter',
  29: 'ferryExit',
  37: 'mergeRight',
  38: 'mergeLeft',
  39: 'elevator',
  40: 'stairs',
  41: 'escalator',
  42: 'buildingEnter',
  43: 'buildingExit',
};

/** @returns `continue` for kinds that this version does not know */
export function nameManeuver(type: number): string {
  return maneuvers[type] ?? 'continue';
}
