import { describe, expect, test } from 'vitest';
import { formatFlow } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import { ApiError } from '../api/client.ts';
import { pastDoc } from '../model/drawing/as-ran.ts';
import { loadAsRan } from './as-ran.ts';

const past: Flow = {
  format: 1,
  id: 'f',
  nodes: { a: { operator: 'trigger.manual' }, gone: { operator: 'core.map' } },
  edges: [{ from: 'a.out', to: 'gone.in' }],
};
const today = {
  flow: { ...past, nodes: { a: past.nodes['a'], b: { operator: 'core.map' } }, edges: [] } as Flow,
  layout: { format: 1 as const, nodes: { a: { x: 100, y: 50 }, b: { x: 400, y: 50 } } },
};
const run = { id: 'r1', version: 'abc' };
const versions = (text: string) => ({ getVersionText: async () => text });
const refuse = (code: string) => ({ getVersionText: () => Promise.reject(new ApiError(code, code, 404)) });
const hashOf = async (text: string): Promise<string> => {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Buffer.from(bytes).toString('hex').slice(0, 16);
};

describe('what a run ran', () => {
  test('is the version of it, where the flow has changed', async () => {
    const asRan = await loadAsRan(versions(formatFlow(past)), () => today, run);
    expect(asRan).toMatchObject({ run: 'r1', version: 'abc', doc: { flow: past } });
  });

  test('is nothing of its own where the flow still says the same, however its text is laid out', async () => {
    expect(await loadAsRan(versions(JSON.stringify(today.flow)), () => today, run)).toBeUndefined();
  });

  test('is lost with a draft that has changed since, and known again as long as it is what is edited', async () => {
    expect(await loadAsRan(refuse('version_not_found'), () => today, run)).toEqual({
      run: 'r1',
      version: 'abc',
      doc: undefined,
    });
    const version = await hashOf(formatFlow(today.flow));
    expect(await loadAsRan(refuse('version_not_found'), () => today, { ...run, version })).toBeUndefined();
  });

  test('is an error where the server cannot say', async () => {
    await expect(loadAsRan(refuse('offline'), () => today, run)).rejects.toMatchObject({ code: 'offline' });
  });
});

describe('where the nodes of a past state stand', () => {
  test('as today where they are still there, and the others below', () => {
    const { nodes } = pastDoc(past, today.layout).layout;
    expect(nodes['a']).toEqual({ x: 100, y: 50 });
    expect(nodes['gone']?.y).toBeGreaterThanOrEqual(250);
    expect(nodes['b']).toBeUndefined();
  });

  test('in columns where nothing is left', () => {
    const { nodes } = pastDoc(past, { format: 1, nodes: {} }).layout;
    expect(nodes['gone']?.x).toBeGreaterThan(nodes['a']?.x ?? 0);
  });
});
