import { type Room, rooms } from './rooms.ts';

/** The room of a file, by the longest path. */
export function findRoom(file: string): Room | null {
  const around = rooms.filter(({ path }) => file.startsWith(`${path}/`));
  return around.sort((a, b) => b.path.length - a.path.length)[0] ?? null;
}

const isInside = (file: string, place: string) =>
  file === place || file.startsWith(place.endsWith('/') ? place : `${place}/`);

export function mayImport(room: Room, target: string): boolean {
  return findRoom(target) === room || room.mayImport.some((place) => isInside(target, place) && isOwn(place, target));
}

/** A listed folder does not include rooms inside it, unless it ends with a slash (`pipeline/`). */
function isOwn(place: string, target: string): boolean {
  return place.endsWith('/') || place.endsWith('.ts') || findRoom(target)?.path === place;
}
