import { expect, test } from 'vitest';
import { testWorld } from '../testing/catalog.ts';
import { flowOf } from '../testing/flows.ts';
import { builtIns } from '../testing/play.ts';
import { applyFix } from './edit.ts';
import { check } from './index.ts';

const flowWith = (params: object) =>
  flowOf({ t: { operator: 'trigger.http', params: { path: '/a', ...params } } }, []);
const found = (params: object) => check(flowWith(params), builtIns.catalog, testWorld);

test('an unknown way is told with all ways that there are', () => {
  const [problem] = found({ auth: 'oauth' });
  expect(problem).toMatchObject({ code: 'unknown-auth' });
  expect(problem?.message).toMatch(/none, api-key, or an object with the `type` .*hmac.*basic.*header.*jwt/);
});

test.each([
  [['GET'], ['POST'], /GET reads the address/],
  [['GET', 'DELETE', 'PUT'], ['PUT'], /GET and DELETE read the address/],
])('signed requests by %j are mended with one click', (methods, left, message) => {
  const params = { methods, auth: { type: 'hmac', secret: { $secret: 'openai' } } };
  const [problem] = found(params).filter(({ field }) => field === 'params.methods');
  expect(problem?.message).toMatch(message);
  const mended = applyFix(flowWith(params), problem?.fix as never);
  expect(mended.nodes['t']?.params?.['methods']).toEqual(left);
  expect(check(mended, builtIns.catalog, testWorld).filter(({ severity }) => severity === 'error')).toEqual(
    [],
  );
});

test('a misspelt setting of a way is told with the one that was meant', () => {
  const auth = { type: 'hmac', secret: { $secret: 'openai' }, hedaer: 'x-a' };
  expect(found({ methods: ['POST'], auth })).toMatchObject([
    { severity: 'warning', message: expect.stringContaining('Did you mean `header`?') },
  ]);
});
