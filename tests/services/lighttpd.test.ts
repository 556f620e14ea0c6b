import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startClient } from '../../server/base/outbound/testing/ask.ts';
import { eventually } from '../support/eventually.ts';
import { tempFolder } from '../support/server.ts';
import { freePort } from './proxy-suite.ts';

const USER = 'ada';
const PASSWORD = 'Circle of "Life"';

/** A lighttpd that asks for HTTP Digest, with one of these algorithms. */
async function startLighttpd(algorithm: 'MD5' | 'SHA-256'): Promise<string> {
  const folder = tempFolder('lighttpd');
  const port = await freePort();
  const hash = createHash(algorithm === 'MD5' ? 'md5' : 'sha256');
  const realm = 'shop';
  const secret = hash.update(`${USER}:${realm}:${PASSWORD}`).digest('hex');
  writeFileSync(join(folder, 'users'), `${USER}:${realm}:${secret}\n`);
  writeFileSync(join(folder, 'status.txt'), 'let in');
  const config = join(folder, 'lighttpd.conf');
  writeFileSync(
    config,
    `
server.modules = ("mod_auth", "mod_authn_file")
server.document-root = "${folder}"
server.bind = "127.0.0.1"
server.port = ${port}
auth.backend = "htdigest"
auth.backend.htdigest.userfile = "${folder}/users"
auth.require = ("/" => ("method" => "digest", "algorithm" => "${algorithm}", "realm" => "${realm}", "require" => "valid-user"))
`,
  );
  const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };
  const program = spawn('lighttpd', ['-D', '-f', config], { stdio: 'ignore', env });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        program.once('exit', () => resolve());
        program.kill('SIGKILL');
      }),
  );
  const url = `http://127.0.0.1:${port}/status.txt`;
  await eventually(async () => void (await fetch(url)));
  return url;
}

test.each(['MD5', 'SHA-256'] as const)('lighttpd lets in who signs by a digest of %s', async (algorithm) => {
  const url = await startLighttpd(algorithm);
  const ask = startClient({ allow: ['127.0.0.1'] });
  const signing = { scheme: 'digest', user: USER, password: PASSWORD } as const;
  for (const query of ['', '?a=1&b=%20']) {
    expect(await ask(`${url}${query}`, { signing })).toMatchObject({ status: 200, body: 'let in' });
    expect(await ask(`${url}${query}`, { signing: { ...signing, password: 'wrong' } })).toMatchObject({
      status: 401,
    });
  }
});
