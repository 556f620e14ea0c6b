// Written by `npm run docs` from the folders of server/integrations/connections/kinds/; do not edit.

import type { ConnectionKindName } from '#shared/connection.ts';
import type { Kind } from '../kind.ts';

/** Each is loaded with its first use. */
export const kinds: Readonly<Record<ConnectionKindName, () => Promise<{ readonly default: Kind }>>> = {
  postgres: () => import('./postgres/index.ts'),
  mysql: () => import('./mysql/index.ts'),
  sqlite: () => import('./sqlite/index.ts'),
  s3: () => import('./s3/index.ts'),
  http: () => import('./http/index.ts'),
  redis: () => import('./redis/index.ts'),
  smtp: () => import('./smtp/index.ts'),
  oauth2: () => import('./oauth2/index.ts'),
  imap: () => import('./imap/index.ts'),
  ssh: () => import('./ssh/index.ts'),
};
