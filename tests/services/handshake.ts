import { connect } from 'node:net';
import { addressOf } from '../runner/services.ts';

const ANSWER_MS = 10_000;

/** Says `hello` to a service, and gives its first bytes: enough to know that it speaks the protocol that its tests need. */
export function firstAnswer(service: string, hello?: Uint8Array | string): Promise<Buffer> {
  const { hostname, port } = addressOf(service);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const fail = (error: Error): void => {
      socket.destroy();
      reject(new Error(`${service} at ${hostname}:${port}: ${error.message}`));
    };
    socket.setTimeout(ANSWER_MS, () => fail(new Error('no answer')));
    socket.once('error', fail);
    socket.once('end', () => fail(new Error('it closed the connection')));
    socket.once('data', (bytes) => {
      socket.destroy();
      resolve(bytes);
    });
    if (hello !== undefined) socket.write(hello);
  });
}
