import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import S3rver from 's3rver';
import { makeFolder } from './temp-folder.ts';

/** A server of the protocol of S3 with one bucket: the package `s3rver`. */
export interface ObjectServer {
  readonly settings: {
    readonly filesS3Url: string;
    readonly filesS3Region: string;
    readonly filesS3KeyId: string;
    readonly filesS3Secret: string;
  };
  /** Method and path of each request that came. */
  readonly requests: string[];
  /** While it is set, all requests are answered with 503. */
  isAway: boolean;
  /** The names of the objects, each with its bytes. */
  list(): Promise<string[]>;
  close(): Promise<void>;
}

const BUCKET = 'parley';

export async function startObjectServer(): Promise<ObjectServer> {
  const folder = await makeFolder();
  const s3 = new S3rver({
    directory: folder.path,
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  await s3.configureBuckets();
  const serve = s3.callback();
  const server: Server = createServer((req, res) => {
    started.requests.push(`${req.method} ${req.url}`);
    if (!started.isAway) return serve(req, res);
    req.resume();
    res.writeHead(503).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const started: ObjectServer = {
    settings: {
      filesS3Url: `http://127.0.0.1:${port}/${BUCKET}`,
      filesS3Region: 'sa-east-1',
      filesS3KeyId: 'S3RVER',
      filesS3Secret: 'S3RVER',
    },
    requests: [],
    isAway: false,
    async list() {
      const names = await readdir(folder.pathOf(BUCKET), { recursive: true });
      return names.flatMap(name =>
        name.endsWith('._S3rver_object') ? name.replace('._S3rver_object', '') : [],
      );
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await folder.drop();
    },
  };
  return started;
}
