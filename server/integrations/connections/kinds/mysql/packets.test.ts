import { Duplex } from 'node:stream';
import mysql from 'mysql2';
import { expect, test } from 'vitest';
import { failOnBadPackets } from './index.ts';

/** An error packet that is cut off. */
const BAD = Buffer.from([1, 0, 0, 0, 0xff]);

/** An idle connection that receives these bytes from its server. */
function idle() {
  const stream = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
  const connection = mysql.createConnection({ stream, user: 'weft', connectTimeout: 0 });
  connection.on('error', () => {});
  Object.assign(connection, { _command: null });
  return { connection, receive: (bytes: Uint8Array) => stream.emit('data', bytes) };
}

test('an unexpected packet that is cut off fails the connection', () => {
  const { connection, receive } = idle();
  let failed = 0;
  failOnBadPackets(connection, () => failed++);
  receive(BAD);
  expect(failed).toBe(1);
});

test('the driver alone would end the process', () => {
  expect(() => idle().receive(BAD)).toThrow(RangeError);
});
