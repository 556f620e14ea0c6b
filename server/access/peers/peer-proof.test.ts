import { expect, test } from 'vitest';
import type { Caller } from '../security/access.ts';
import { PEER_HEADER, PeerProof } from './peer-proof.ts';

const caller: Caller = {
  kind: 'key',
  name: 'ci',
  owner: 'key:1',
  scopes: new Set(['runs:read']),
  perMinute: 5,
  csrf: undefined,
};
const secretsKey = Buffer.alloc(32, 1);
const url = '/api/v1/runs/1?after=2';

function bed() {
  let time = 1_700_000_000_000;
  const now = (): number => time;
  const make = (tag: string, key = secretsKey) => new PeerProof({ secretsKeys: () => [key], tag, now });
  return { from: make('aaaaaaaaaa'), to: make('bbbbbbbbbb'), make, pass: (ms: number) => (time += ms) };
}

const asked = (proof: string, more: Readonly<Record<string, string>> = {}, at = url, method = 'GET') => ({
  method,
  url: at,
  headers: { [PEER_HEADER]: proof, ...more },
});
const refused = expect.objectContaining({ code: 'peer_refused' });

test('PP2: a server learns for whom another one asks; its limit was counted there', () => {
  const { from, to } = bed();
  const { perMinute: _, ...rest } = caller;
  expect(to.read(asked(from.write('GET', url, 'bbbbbbbbbb', caller)))).toEqual(rest);
  expect(to.read({ method: 'GET', url, headers: {} })).toBeUndefined();
});

test('PP1: a proof is for one request, which may be read several times', () => {
  const { from, to } = bed();
  const proof = from.write('GET', url, 'bbbbbbbbbb', caller);
  const request = asked(proof);
  expect(to.read(request)).toBeDefined();
  expect(to.read(request)).toBeDefined();
  expect(() => to.read(asked(proof))).toThrow(refused);
});

test('PP1: a proof is for one method, address, server, key and time, and for no body', () => {
  const { from, to, make, pass } = bed();
  const proof = (tag = 'bbbbbbbbbb') => from.write('GET', url, tag, caller);
  expect(() => to.read(asked(proof(), {}, `${url}3`))).toThrow(refused);
  expect(() => to.read(asked(proof(), {}, url, 'POST'))).toThrow(refused);
  expect(() => to.read(asked(proof('cccccccccc')))).toThrow(refused);
  expect(() => to.read(asked(proof(), { 'content-length': '1' }))).toThrow(refused);
  expect(() => to.read(asked(proof(), { 'transfer-encoding': 'chunked' }))).toThrow(refused);
  expect(() => make('bbbbbbbbbb', Buffer.alloc(32, 2)).read(asked(proof()))).toThrow(refused);
  for (const text of ['', '.', 'e30.e30', 'x'.repeat(10_000)])
    expect(() => to.read(asked(text))).toThrow(refused);
  const late = proof();
  pass(30_001);
  expect(() => to.read(asked(late))).toThrow(refused);
  expect(to.read(asked(proof()))).toBeDefined();
});

test('PP1: a proof that was used stays used for as long as its time is good', () => {
  const { from, to, pass } = bed();
  const proof = from.write('GET', url, 'bbbbbbbbbb', caller);
  to.read(asked(proof));
  pass(29_000);
  for (let i = 0; i < 5; i++) to.read(asked(from.write('GET', url, 'bbbbbbbbbb', caller)));
  expect(() => to.read(asked(proof))).toThrow(refused);
});

test('PP1: a websocket stays admitted for as long as it is open, though others have come since', () => {
  const { from, to, pass } = bed();
  const open = asked(from.write('GET', url, 'bbbbbbbbbb', caller));
  to.read(open);
  pass(600_000);
  to.read(asked(from.write('GET', url, 'bbbbbbbbbb', caller)));
  expect(to.read(open)).toMatchObject({ name: 'ci' });
});
