import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { type Answer, parsed } from './client.ts';
import { codeOf, leaks } from './leaks.ts';
import type { TestServer } from './server.ts';

/** A plain connection to the server, for bytes that no client would send. */
export function dial(server: Pick<TestServer, 'url'>): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Everything that arrives until the server closes or resets the connection. */
export function readToEnd(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    socket.on('data', (part: Buffer) => parts.push(part));
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(parts).toString('latin1')));
  });
}

/** Sends bytes as they are and reads the answer, up to the end of the connection. */
export async function sendRaw(server: Pick<TestServer, 'url'>, bytes: string | Buffer): Promise<Answer> {
  const socket = await dial(server);
  const reading = readToEnd(socket);
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  return rawAnswer(await reading);
}

/** The first answer in the data of a connection. */
export function rawAnswer(text: string): Answer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = new Headers();
  for (const field of fields) {
    const colon = field.indexOf(':');
    headers.append(field.slice(0, colon), field.slice(colon + 1).trim());
  }
  const body = rest.join('\r\n\r\n');
  return { status: Number(line.split(' ')[1] ?? 0), headers, text: body, body: parsed(body) };
}

/** Expects a valid refusal: with a code, as JSON, and without details of the machine. */
export function expectRefusal(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: codeOf(answer) }).toEqual({ status, code });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(leaks(answer.text)).toEqual([]);
}
