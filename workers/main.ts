import { runProcess } from '../run-process.ts';
import { startWorkers } from './start.ts';

await runProcess('worker', startWorkers);
