import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../../../../../tests/support/server.ts';
import { storeContract } from '../../../../storage/file-store/store.contract.ts';
import { openInbox } from './testing/ssh.contract.ts';
import { startSsh } from './testing/ssh-server.ts';

storeContract('SFTP', async () => openInbox((await startSsh({ folder: tempFolder('sftp') })).settings));

storeContract('SFTP below a folder', async () => {
  const folder = tempFolder('sftp');
  mkdirSync(join(folder, 'srv/my files'), { recursive: true });
  return openInbox({ ...(await startSsh({ folder })).settings, folder: '/srv/my files' });
});
