import { z } from 'zod';
import { kindsFor } from '#shared/connection.ts';

export const folder = z
  .string()
  .min(1)
  .max(100)
  .describe('A folder that the administrator named in WEFT_FOLDERS, or a connection to files (S3, SFTP).')
  .meta({ widget: 'store', kinds: kindsFor('files') });

export const path = z
  .string()
  .min(1)
  .max(1000)
  .describe('A path inside the folder, such as 2026/report.csv.')
  .meta({ widget: 'folder-path' });
