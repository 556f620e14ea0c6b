import type { FastifyReply, FastifyRequest } from 'fastify';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createRequestIds, logIfSlow } from './platform.ts';

test('request ids are short, unique, and differ between servers', () => {
  const next = createRequestIds();
  const ids = Array.from({ length: 1000 }, next);
  expect(new Set(ids).size).toBe(1000);
  expect(ids.every((id) => /^[\w-]{8}-[0-9a-z]+$/.test(id))).toBe(true);
  expect(createRequestIds()()).not.toBe(ids[0]);
});

test('a slow request is logged by its route, without query or headers; a quick one is not', () => {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line) => void lines.push(line) });
  const request = {
    id: 'a-1',
    log,
    url: '/api/v1/flows?secret=1',
    routeOptions: { method: 'GET', url: '/api/v1/flows' },
  } as unknown as FastifyRequest;
  const done = (): void => {};
  logIfSlow(request, { elapsedTime: 999, statusCode: 200 } as FastifyReply, done);
  expect(lines).toEqual([]);
  logIfSlow(request, { elapsedTime: 1500.4, statusCode: 200 } as FastifyReply, done);
  expect(JSON.parse(lines[0] as string)).toMatchObject({
    reqId: 'a-1',
    url: '/api/v1/flows',
    ms: 1500,
    msg: 'slow request',
  });
  expect(lines[0]).not.toContain('secret');
});
