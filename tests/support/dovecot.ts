import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { certificate, key } from '../../server/integrations/connections/testing/self-signed.ts';
import { eventually } from './eventually.ts';
import { freePort } from '../services/proxy-suite.ts';
import { tempFolder } from './server.ts';

/** A Dovecot of the system with one account, `ada` with the password `right`; it ends with the test. */
export async function startDovecot() {
  const folder = tempFolder('dovecot');
  // Its processes for signing in have a user of their own.
  chmodSync(folder, 0o755);
  const [port, securePort] = [await freePort(), await freePort()];
  const mail = join(folder, 'mail');
  for (const part of ['cur', 'new', 'tmp', '.Archive/cur', '.Archive/new', '.Archive/tmp'])
    mkdirSync(join(mail, part), { recursive: true });
  // So have those for mails.
  for (const part of ['', 'cur', 'new', 'tmp', '.Archive', '.Archive/cur', '.Archive/new', '.Archive/tmp'])
    chmodSync(join(mail, part), 0o777);
  writeFileSync(join(folder, 'cert.pem'), certificate);
  writeFileSync(join(folder, 'key.pem'), key);
  writeFileSync(join(folder, 'users'), 'ada:{PLAIN}right::::::\n');
  const config = join(folder, 'dovecot.conf');
  writeFileSync(
    config,
    `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = yes
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
disable_plaintext_auth = no
mail_location = maildir:${mail}
first_valid_uid = 1
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = ${securePort}
    ssl = yes
  }
}
service anvil {
  chroot =
}
passdb {
  driver = passwd-file
  args = ${folder}/users
}
userdb {
  driver = static
  args = uid=mail gid=mail home=${folder}/home
}
`,
  );
  const program = spawn('dovecot', ['-F', '-c', config], { stdio: 'ignore' });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        program.once('exit', () => resolve());
        program.kill('SIGTERM');
      }),
  );
  await eventually(async () => {
    if (!(await listens(port))) throw new Error('Dovecot does not listen yet.');
  });
  let dropped = 0;
  /** Delivers a mail into the inbox, as a mail server would. */
  const drop = (text: string): void => {
    const name = `${Date.now()}.${++dropped}.test`;
    const whole = text.replaceAll(/\r?\n/g, '\r\n');
    writeFileSync(join(mail, 'tmp', name), whole);
    chmodSync(join(mail, 'tmp', name), 0o666);
    renameSync(join(mail, 'tmp', name), join(mail, 'new', name));
  };
  return { port, securePort, drop, folder: mail };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
