import { z } from 'zod';
import { WeftError } from '#engine';
import { defineAction, defineKind } from '../../kind.ts';
import { proxyFields } from '../../proxy-fields.ts';
import {
  addressFields,
  harmlessToServers,
  mostField,
  passwordField,
  tlsFields,
  untilAborted,
} from '../../servers.ts';
import { RedisSession } from './session.ts';

const key = z.string().min(1).max(10_000);
/** The largest value of Redis, in bytes. */
const MAX_VALUE = 512 * 1024 ** 2;

export default defineKind({
  use: 'actions',
  name: 'redis',
  title: 'Redis',
  doc: 'A Redis server, or another one that speaks its protocol (Valkey, KeyDB, Dragonfly). Nodes read and store values by their keys.',
  settings: z.strictObject({
    ...addressFields(6379),
    user: z
      .string()
      .max(255)
      .default('')
      .describe('The user to sign in as, if the server has users (ACL); empty: the default user.'),
    password: passwordField,
    database: z.int().min(0).max(65_535).default(0).describe('The number of the database.'),
    ...tlsFields,
    most: mostField,
    ...proxyFields,
  }),
  harmless: harmlessToServers,
  most: ({ most }) => most,
  destination: ({ host, port }) => ({ host, port }),
  async open(settings, deps, signal) {
    const session = new RedisSession(settings, deps);
    try {
      await untilAborted(signal, session.start(signal));
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  },
  actions: {
    get: defineAction({
      takes: z.strictObject({ key, maxBytes: z.int().min(1).max(MAX_VALUE) }),
      isRead: true,
      async run(session: RedisSession, { key: name, maxBytes }, signal) {
        const value = await session.ask(['GET', name], maxBytes, signal);
        return value === null ? null : textOf(value);
      },
    }),
    set: defineAction({
      takes: z.strictObject({
        key,
        value: z.string().max(MAX_VALUE),
        ttlMs: z.int().min(1).optional(),
        when: z.enum(['always', 'absent', 'present']),
      }),
      isRead: false,
      async run(session: RedisSession, { key: name, value, ttlMs, when }, signal) {
        const lives = ttlMs === undefined ? [] : ['PX', String(ttlMs)];
        const condition = { always: [], absent: ['NX'], present: ['XX'] }[when];
        const reply = await session.ask(['SET', name, value, ...lives, ...condition], 0, signal);
        return reply !== null;
      },
    }),
  },
});

function textOf(value: string | Buffer): string {
  if (typeof value === 'string') return value;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    throw new WeftError('bad_answer', 'The value is not text: its bytes are not UTF-8.');
  }
}
