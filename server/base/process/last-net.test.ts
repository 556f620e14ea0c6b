import { expect, test } from 'vitest';
import { fileURLToPath } from 'node:url';
import { ownerOf } from './last-net.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const failed = (...frames: readonly string[]): Error =>
  Object.assign(new Error('no'), {
    stack: ['Error: no', ...frames.map((frame) => `    at ${frame}`)].join('\n'),
  });

test.each([
  [
    [`Socket.<anonymous> (file://${root}server/integrations/connections/kinds/postgres/index.ts:3:4)`],
    'server/integrations/connections',
  ],
  [[`file://${root}server/main.ts:3:4`], 'server'],
  [['TCP.onStreamRead (node:internal/stream_base_commons:216:20)'], 'unknown'],
  [
    [
      'process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
      `async Connection.cancel (${root}node_modules/postgres/src/connection.js:145:7)`,
      `PostgresSession.cancel (file://${root}server/integrations/connections/kinds/postgres/index.ts:3:4)`,
    ],
    'postgres',
  ],
  [
    [`a (file://${root}node_modules/@ai-sdk/openai/node_modules/@ai-sdk/provider/x.js:1:1)`],
    '@ai-sdk/provider',
  ],
  [['Timeout._onTimeout (file:///srv/flows/operators/shop/order.mjs:1:1)'], 'shop/order.mjs'],
])('the owner of an error is who is on top of its stack', (frames, owner) => {
  expect(ownerOf(failed(...frames))).toBe(owner);
});

test.each([undefined, 'a text', {}, Object.defineProperty(new Error('no'), 'stack', { value: 5 })])(
  'what has no stack has no owner that is known',
  (thrown) => {
    expect(ownerOf(thrown)).toBe('unknown');
  },
);
