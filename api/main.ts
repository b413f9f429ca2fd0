import { runProcess } from '../run-process.ts';
import { startApi } from './start.ts';

await runProcess('web', startApi);
