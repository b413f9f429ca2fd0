/*
 * `npm run dev`: the launcher and its processes from the sources, without a build. Each process restarts when a file that it
 * imports changes; the database and the offline model stay.
 */
import { existsSync } from 'node:fs';
import process from 'node:process';

if (existsSync('.env')) process.loadEnvFile('.env');
process.argv.push('--procfile', 'Procfile.dev');
await import('./start.ts');
