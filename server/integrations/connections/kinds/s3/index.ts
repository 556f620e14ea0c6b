import { defineKind } from '../../kind.ts';
import { addressOf, settings } from './settings.ts';

export default defineKind({
  use: 'files',
  name: 's3',
  title: 'S3',
  doc: 'A bucket of Amazon S3, or of a service that speaks its protocol (MinIO, R2, Ceph). Nodes for files use it as they use a folder.',
  settings,
  harmless: { endpoint: 'same-origin', prefix: 'any', timeoutMs: 'any' },
  address: addressOf,
  async open(given, http) {
    const { createS3Store } = await import('./store.ts');
    return createS3Store(given, http);
  },
});
