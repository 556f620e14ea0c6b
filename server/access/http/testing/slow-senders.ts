import { writeFileSync, mkdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Bed, startBed, tempFolder } from '../../../testing/platform-bed.ts';

export const TRIGGER = '/api/v1/awel/trigger';
/** A stretch of an upload that moves quickly enough. */
export const PIECE = Buffer.alloc(64 * 1024, 0x61);

export interface Sender {
  readonly socket: Socket;
  received: string;
}

/** A server on which requests have a fraction of the usual minute. */
export async function startWith(requestTimeout: number): Promise<Bed> {
  const folder = join(await tempFolder(), 'flows');
  mkdirSync(folder);
  const add = (id: string, params: object): void => {
    const node = {
      operator: 'trigger.http',
      params: { path: `/${id}`, methods: ['POST'], auth: 'none', ...params },
    };
    writeFileSync(
      join(folder, `${id}.json`),
      JSON.stringify({ format: 1, id, nodes: { in: node }, edges: [] }),
    );
  };
  add('plain', {});
  add('upload', { accept: ['bytes'], limits: { fileBytes: 1e9 } });
  const bed = await startBed({ flows: [folder] });
  bed.app.server.requestTimeout = requestTimeout;
  return bed;
}

/** Announces a body, and sends nothing of it yet. */
export function begin(bed: Bed, path: string, type: string, announced: number): Sender {
  const socket = connect(bed.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const sender: Sender = { socket, received: '' };
  socket.on('error', () => {});
  socket.on('data', (data) => {
    sender.received += data.toString('latin1');
  });
  socket.write(
    `POST ${TRIGGER}${path} HTTP/1.1\r\nHost: 127.0.0.1:${bed.port}\r\nContent-Type: ${type}\r\nContent-Length: ${announced}\r\n\r\n`,
  );
  return sender;
}
