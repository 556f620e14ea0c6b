import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  commandContract,
  openBox,
  openInbox,
} from '../../server/integrations/connections/kinds/ssh/testing/ssh.contract.ts';
import { by, signal, storeContract } from '../../server/storage/file-store/store.contract.ts';
import { eventually } from '../support/eventually.ts';
import { tempFolder } from '../support/server.ts';
import { freePort } from './proxy-suite.ts';

/** sshd starts itself again, so that it wants its whole path. */
const program = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  .map((folder) => join(folder, 'sshd'))
  .find((path) => existsSync(path));

const keygen = (...args: string[]): string => execFileSync('ssh-keygen', args, { encoding: 'utf8' });

interface Keys {
  readonly host?: 'ed25519' | 'rsa' | 'ecdsa';
  readonly user?: readonly string[];
}

/**
 * Who signs in: this user, or for root somebody else, to whose commands OpenSSH passes signals on. A namespace has an account for that,
 * so that the machine keeps its own.
 */
function loginIn(folder: string): { login: string; command: string[] } {
  const { uid, username } = userInfo();
  if (uid !== 0) return { login: username, command: [] };
  mkdirSync('/run/sshd', { recursive: true });
  const home = join(folder, 'home');
  mkdirSync(home);
  chmodSync(home, 0o777);
  chmodSync(folder, 0o755);
  const accounts = readFileSync('/etc/passwd', 'utf8');
  writeFileSync(join(folder, 'passwd'), `${accounts}ada:*:54321:54321::${home}:/bin/sh\n`);
  const script = 'mount --bind "$1" /etc/passwd && shift && exec "$@"';
  return { login: 'ada', command: ['unshare', '--mount', 'sh', '-c', script, 'sh', join(folder, 'passwd')] };
}

/** A folder in which everybody may write. */
function openFolder(name: string): string {
  const folder = tempFolder(name);
  chmodSync(folder, 0o777);
  return folder;
}

/** An OpenSSH server that this user may sign in to with a key. */
async function startSshd({ host = 'ed25519', user = ['-t', 'ed25519', '-N', ''] }: Keys = {}) {
  const folder = tempFolder('sshd');
  const at = (name: string): string => join(folder, name);
  keygen('-q', '-t', host, '-N', '', '-f', at('host'));
  keygen('-q', ...user, '-f', at('user'));
  copyFileSync(at('user.pub'), at('authorized'));
  const { login, command } = loginIn(folder);
  const port = await freePort();
  writeFileSync(
    at('config'),
    `
ListenAddress 127.0.0.1:${port}
HostKey ${at('host')}
AuthorizedKeysFile ${at('authorized')}
PidFile none
UsePAM no
StrictModes no
Subsystem sftp internal-sftp
MaxStartups 100
`,
  );
  const [name, ...args] = [...command, program ?? 'sshd', '-D', '-e', '-f', at('config')];
  const child = spawn(name, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (piece: Buffer) => (log += piece.toString()));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  );
  await eventually(() => expect(log).toContain('Server listening'));
  return {
    host: '127.0.0.1',
    port,
    user: login,
    privateKey: readFileSync(at('user'), 'utf8'),
    fingerprint: keygen('-l', '-f', at('host.pub')),
  };
}

commandContract('OpenSSH', () => startSshd());

storeContract('SFTP of OpenSSH', async () =>
  openInbox({ ...(await startSshd()), folder: openFolder('files') }),
);

test.each([
  ['ecdsa', ['-t', 'ecdsa', '-N', '']],
  ['rsa', ['-t', 'rsa', '-N', '']],
  ['rsa', ['-t', 'rsa', '-m', 'PEM', '-N', '']],
] as const)('keys of the kind %s', async (host, user) => {
  const box = await openBox(await startSshd({ host, user }));
  expect(await box.connections.test('box')).toMatchObject({
    ok: true,
    about: expect.stringMatching(/^SSH \(OpenSSH_[\d.p]+\)$/),
  });
});

test('a key with a passphrase', async () => {
  const settings = await startSshd({ user: ['-t', 'ed25519', '-N', 'open sesame'] });
  const box = await openBox({ ...settings, passphrase: 'open sesame' });
  expect((await box.run('echo in')).stdout).toBe('in\n');
  await box.connections.put('box', {
    kind: 'ssh',
    settings: { ...settings, passphrase: 'wrong' },
    grants: { flows: ['f'] },
  });
  await expect(box.run('true')).rejects.toMatchObject({ code: 'connection_refused' });
});

test('another key than that of the user, and another server than that of the fingerprint', async () => {
  const [one, other] = [await startSshd(), await startSshd()];
  const box = await openBox({ ...one, privateKey: other.privateKey });
  const { error } = await box.connections.test('box');
  expect(error).toMatchObject({
    code: 'connection_refused',
    message: expect.stringContaining('It takes: publickey'),
  });
  const changed = await openBox({ ...one, fingerprint: other.fingerprint });
  expect(await changed.connections.test('box')).toMatchObject({
    ok: false,
    error: { code: 'host_key_changed' },
  });
});

test('files below the home folder, and links out of a folder', async () => {
  const settings = await startSshd();
  const home = await openInbox({ ...settings, folder: '~' });
  const box = await openBox(settings);
  await box.run('echo here > weft-was-here.txt');
  const read = await home.folders.read('inbox', 'weft-was-here.txt', by, { signal });
  expect(await home.textOf(read)).toBe('here\n');
  expect(await home.folders.remove('inbox', 'weft-was-here.txt', by, { signal })).toBe(true);
  await home.close();
  const folder = openFolder('files');
  const outside = openFolder('outside');
  writeFileSync(join(outside, 'secret'), 'secret');
  symlinkSync(outside, join(folder, 'away'));
  const { folders, file, close } = await openInbox({ ...settings, folder });
  for (const way of [
    () => folders.read('inbox', 'away/secret', by, { signal }),
    async () => folders.write('inbox', 'away/new', await file('x'), { by, signal, replace: true }),
    () => folders.remove('inbox', 'away/secret', by, { signal }),
  ])
    await expect(way()).rejects.toMatchObject({ code: 'folder_path_refused' });
  await close();
});
