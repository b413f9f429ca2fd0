import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderOf, root, type SourceFile, sourceFiles } from './source-files.ts';

/*
 * The drawing of the rooms at the head of docs/architecture.md, made from the imports. This file writes it where it is run:
 * `npx tsx test/support/draw-rooms.ts`.
 */

/** From the top down. A room imports only what is on a floor below its own. */
export const floors = [
  ['commands'],
  ['api', 'workers', 'console'],
  ['db', 'workers/domain', 'offline-model'],
  ['queues'],
  ['platform', 'text'],
] as const;

export const architecturePage = join(root, 'docs', 'architecture.md');
export const drawingForm = /```mermaid\nflowchart[\s\S]*?```/;

const rooms: readonly string[] = floors.flat();

/** The room of a file; undefined where it is in none, as tests are. */
function roomOf(path: string): string | undefined {
  const room = path.startsWith('workers/domain/') ? 'workers/domain' : folderOf(path);
  return rooms.includes(room) ? room : undefined;
}

/** The rooms that each room imports, in the order of the floors. */
export function roomImports(files: readonly SourceFile[]): Map<string, string[]> {
  return new Map(
    rooms.map(room => {
      const own = files.filter(({ path }) => roomOf(path) === room);
      const imported = new Set(own.flatMap(({ imports }) => imports.map(roomOf)));
      return [room, rooms.filter(to => to !== room && imported.has(to))];
    }),
  );
}

export function drawRooms(files: readonly SourceFile[]): string {
  const idOf = (room: string) => room.replace('workers/', '');
  const drawn = floors.map((floor, at) => {
    const nodes = floor.map(room => `    ${idOf(room)}["${room}"]`);
    return [`  subgraph floor${floors.length - at}[" "]`, ...nodes, '  end'].join('\n');
  });
  const arrows = [...roomImports(files)].flatMap(([from, to]) =>
    to.length > 0 ? [`  ${idOf(from)} --> ${to.map(idOf).join(' & ')}`] : [],
  );
  return ['```mermaid', 'flowchart TB', ...drawn, ...arrows, '```'].join('\n');
}

if (process.argv[1] === import.meta.filename) {
  const page = readFileSync(architecturePage, 'utf8');
  writeFileSync(
    architecturePage,
    page.replace(drawingForm, () => drawRooms(sourceFiles())),
  );
}
