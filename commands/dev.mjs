/*
 * `npm run dev`: the launcher and its processes from the sources, without a build. Each process restarts when a file that it
 * imports changes; the database and the offline model stay. The console is built again when it changes.
 */
import { existsSync } from 'node:fs';
import process from 'node:process';
import { buildConsole } from './build-console.mjs';

if (existsSync('.env')) process.loadEnvFile('.env');
await buildConsole({ watch: true });
process.argv.push('--procfile', 'Procfile.dev');
await import('./start.ts');
