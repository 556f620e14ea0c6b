import { expect, test } from 'vitest';
import type { ConnectionBody } from '#shared/connection.ts';
import { createRedactor } from '../../base/secrets/redactor.ts';
import type { Sealer } from '../../base/secrets/seal.ts';
import { openStoredConnections, sealed, type StoredConnectionsDeps } from './stored-connections.ts';

test('two changes of another server in the same millisecond both take effect', () => {
  let seals = 0;
  const sealer: Sealer = {
    seal: (text) => `${++seals} ${text}`,
    unseal: (text) => text.slice(text.indexOf(' ') + 1),
  };
  const data = { connections: {} as Record<string, unknown> };
  const db = { data, change: async () => {} } as unknown as StoredConnectionsDeps['db'];
  const deps: StoredConnectionsDeps = {
    db,
    sealer,
    redactor: createRedactor(),
    now: () => 1_700_000_000_000,
  };
  const put = (host: string): void => {
    const body = { kind: 'postgres', settings: { host }, hidden: [] } as unknown as ConnectionBody & {
      readonly hidden: string[];
    };
    data.connections = { crm: sealed(deps, 'crm', body, undefined) };
  };
  const stored = openStoredConnections(deps);
  for (const host of ['one', 'two']) {
    put(host);
    expect(stored.readAgain()).toEqual(['crm']);
    expect(stored.named('crm').settings).toEqual({ host });
  }
  expect(stored.readAgain()).toEqual([]);
});
