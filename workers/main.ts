import { runProcess } from '../platform/run-process.ts';
import { startWorkers } from './start.ts';

await runProcess('worker', startWorkers);
