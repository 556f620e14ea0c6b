import { expect, test } from 'vitest';
import { firstAnswer } from './handshake.ts';

/** A CONNECT packet of MQTT 3.1.1 with a clean session and no client id. */
const CONNECT = Buffer.from([0x10, 12, 0, 4, ...Buffer.from('MQTT'), 4, 2, 0, 30, 0, 0]);

test('Mosquitto accepts a connection without credentials', async () => {
  expect([...(await firstAnswer('mosquitto', CONNECT))]).toEqual([0x20, 2, 0, 0]);
});
