import { runProcess } from '../../platform/run-process.ts';
import { startIndexer } from './start.ts';

await runProcess('indexer', async (config, log) => {
  const indexer = await startIndexer(config, log);
  indexer.ended.catch((error: Error) => {
    log.fatal({ event: 'indexer.database_lost', reason: error.message }, 'the indexer lost the database');
    process.exit(1);
  });
  return indexer;
});
