import { z } from 'zod';
import { httpUrl, integer, oneOf, optional, processCount, setting, text } from './setting.ts';

const databaseAddress = text(
  z.url({ protocol: /^postgres(ql)?$/ }),
  'an address like postgres://user:password@host:5432/name',
);

/** Settings shared by several servers, or by several processes of one, and the place where durable runs are executed. */
export const cluster = {
  databaseUrl: optional(
    'WEFT_DATABASE_URL',
    { ...databaseAddress, shown: 'none: the data folder', secret: true },
    'PostgreSQL database (15 or newer) for flows, keys, runs and everything else that servers share; several servers on one database are one service. Requires WEFT_SECRETS_KEY. See docs/cluster.md.',
  ),
  databaseDirectUrl: optional(
    'WEFT_DATABASE_DIRECT_URL',
    { ...databaseAddress, shown: 'the same address', secret: true },
    'The same database without a transaction pooler, for notices between servers and for migrations.',
  ),
  restateUrl: optional(
    'WEFT_RESTATE_URL',
    { ...httpUrl, shown: 'none: durable runs are executed from the database' },
    'Ingress of a Restate server, which then carries durable runs on; such as http://localhost:8080. Requires WEFT_DATABASE_URL and WEFT_RESTATE_ADMIN_URL. See docs/durable-runs.md.',
  ),
  restateAdminUrl: optional(
    'WEFT_RESTATE_ADMIN_URL',
    { ...httpUrl, shown: 'none' },
    'Admin address of the same Restate server, where this server makes itself known at its start; such as http://localhost:9070.',
  ),
  restatePort: setting(
    'WEFT_RESTATE_PORT',
    integer(1, 65_535),
    9080,
    'Port where this server listens for Restate.',
  ),
  restateServiceUrl: optional(
    'WEFT_RESTATE_SERVICE_URL',
    { ...httpUrl, shown: 'http://127.0.0.1 with WEFT_RESTATE_PORT' },
    'Address where Restate reaches this server, or a balancer in front of all servers of the database. Beyond this machine it requires WEFT_RESTATE_IDENTITY_KEY.',
  ),
  restateIdentityKey: optional(
    'WEFT_RESTATE_IDENTITY_KEY',
    text(z.string().regex(/^publickeyv1_\w+$/), 'a key that begins with publickeyv1_'),
    'Public key of the Restate server, which it prints when it starts with a request identity: requests that it has not signed are refused.',
  ),
  internalUrl: optional(
    'WEFT_INTERNAL_URL',
    { ...httpUrl, shown: 'WEFT_HOST, or the first address of the machine, with WEFT_PORT' },
    'Address where the other servers of the database reach this one, for runs that it executes.',
  ),
  processes: setting(
    'WEFT_PROCESSES',
    processCount(),
    1,
    'Processes that serve on one port, for machines with several cores; auto: one for each core. See docs/cluster.md.',
  ),
  role: setting(
    'WEFT_ROLE',
    oneOf('all', 'web', 'worker'),
    'all',
    'web: answers requests, and leaves durable runs, schedules, sources and notices to other servers. worker: does only those, and serves health, metrics and what other servers ask. Both need WEFT_DATABASE_URL. See docs/cluster.md.',
  ),
};
