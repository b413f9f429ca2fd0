import { once } from 'node:events';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { addSettings } from '../../platform/config.ts';

/*
 * Runs in a process of the launcher before its main file (`node --import`): loads its modules, which takes most of its
 * start, beside the database and the release. The main file runs when the launcher has sent the settings.
 */

process.once('disconnect', exitWithLauncher);
const settings = once(process, 'message');
// The services' main.ts only runs start.ts. A failed import fails again in the main file, which reports it.
const parts = (process.argv[1] ?? '').replace(/\bmain(\.\w+)$/, 'start$1');
if (parts !== process.argv[1]) await import(pathToFileURL(parts).href).catch(() => {});
const [sent] = await settings;
addSettings(sent);
process.off('disconnect', exitWithLauncher);

function exitWithLauncher(): void {
  process.exit();
}
