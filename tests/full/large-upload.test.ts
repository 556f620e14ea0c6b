import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import {
  ACCESS_KEY,
  BUCKET,
  REGION,
  SECRET_KEY,
  startS3,
} from '../../server/integrations/connections/testing/s3-server.ts';
import { ask, signIn, triggerPrefix } from '../support/client.ts';
import { httpTrigger, write } from '../support/flows.ts';
import { discard, startServer, tempFolder, type TestServer } from '../support/server.ts';

const MB = 1_000_000;
const SIZE = 500 * MB;
const PIECE = new Uint8Array(1 * MB).fill(0x61);
/** What it may take beyond twenty megabytes that went the same way before. */
const MORE_MB = 60;

/** The most memory that the server has had, in megabytes. */
function peakMB({ process: { pid } }: TestServer): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024) / MB;
}

async function* content(bytes: number): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < bytes; sent += PIECE.length) yield PIECE;
}

/** A form with one file, piece by piece. */
async function* form(bytes: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from('--cut\r\ncontent-disposition: form-data; name="film"; filename="film.bin"\r\n\r\n');
  yield* content(bytes);
  yield Buffer.from('\r\n--cut--\r\n');
}

test('Half a gigabyte from a form goes to a bucket in the memory that twenty megabytes need.', async () => {
  const bucket = await startS3({ keepsBytes: false });
  onTestFinished(() => bucket.close());
  const flows = tempFolder('flows');
  const request = {
    type: 'object',
    required: ['film'],
    properties: { film: { type: 'object', format: 'file' } },
  };
  const limits = { fileBytes: SIZE, filesBytes: SIZE };
  write(flows, 'films.json', {
    format: 1,
    id: 'films',
    settings: { timeoutMs: 600_000 },
    nodes: {
      trigger: httpTrigger('/films', { methods: ['POST'], accept: ['multipart'], request, limits }),
      film: { operator: 'core.map', params: { value: '{{ input.film }}' } },
      write: {
        operator: 'file.write',
        params: { folder: 'films', path: '{{ input.name }}', existing: 'replace' },
      },
      // Otherwise the answer would be the file.
      bytes: { operator: 'core.map', params: { value: '{{ input.bytes }}' } },
    },
    edges: [
      { from: 'trigger.out', to: 'film.in' },
      { from: 'film.out', to: 'write.in' },
      { from: 'write.out', to: 'bytes.in' },
    ],
  });
  const server = await startServer({ flows, env: { WEFT_OUTBOUND_ALLOW: '127.0.0.1' } });
  onTestFinished(() => discard(server));
  const owner = await signIn(server);
  await owner.data('PUT', '/connections/films', {
    kind: 's3',
    settings: {
      endpoint: bucket.endpoint,
      region: REGION,
      bucket: BUCKET,
      accessKey: ACCESS_KEY,
      secretKey: SECRET_KEY,
    },
    grants: { flows: ['films'] },
  });
  const send = async (bytes: number) => {
    const answer = await ask(`${server.url}${triggerPrefix}/films`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=cut' },
      body: form(bytes) as unknown as BodyInit,
      duplex: 'half',
    } as RequestInit);
    expect([answer.status, answer.body]).toEqual([200, bytes]);
    expect([...bucket.objects.values()].at(-1)?.size).toBe(bytes);
  };
  for (let i = 0; i < 3; i++) await send(20 * MB);
  const before = peakMB(server);
  await send(SIZE);
  const more = peakMB(server) - before;
  expect(more).toBeLessThan(MORE_MB);
});
