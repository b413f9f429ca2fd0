import { connect, type Db } from '../../db/connection.ts';
import { migrate } from '../../db/migrate.ts';
import { seed } from '../../db/seed.ts';
import { migrateQueues } from '../../queues/transport/backend.ts';
import { type QueueStore, textOfStore } from './queue-store.ts';
import { startVectorServer, type VectorServer } from './vector-server.ts';

/** A migrated, empty database with pgvector; the tables for vectors are not created yet. */
export async function makeVectorDatabase(): Promise<VectorServer & { readonly db: Db }> {
  const server = await startVectorServer();
  const db = connect(server.url, { max: 4 });
  await migrate(db);
  const close = async () => {
    await db.destroy();
    await server.close();
  };
  return { ...server, db, close };
}

/** The same with the demonstration hosts and queues, for a whole service. */
export async function makeVectorStore(): Promise<QueueStore> {
  const { url: databaseUrl, db, close } = await makeVectorDatabase();
  await seed(db);
  await migrateQueues(databaseUrl);
  const store = { databaseUrl, redisUrl: undefined };
  return { ...store, storedText: () => textOfStore(store), drop: close };
}
