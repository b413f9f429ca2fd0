import { runProcess } from '../platform/run-process.ts';
import { startApi } from './start.ts';

await runProcess('web', startApi);
