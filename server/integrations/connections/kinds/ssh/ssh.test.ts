import ssh2 from 'ssh2';
import { describe, expect, test } from 'vitest';
import { connectionBed } from '../../testing/connection-bed.ts';
import { commandContract, openBox } from './testing/ssh.contract.ts';
import { fingerprintOf, makeKey, startSsh } from './testing/ssh-server.ts';

commandContract('SSH', async () => (await startSsh()).settings);

describe('the key of the server', () => {
  test('is shown where the connection names none, and nothing is sent', async () => {
    const { settings, signIns } = await startSsh();
    const box = await openBox({ ...settings, fingerprint: '' });
    const tested = await box.connections.test('box');
    expect(tested).toMatchObject({ ok: false, error: { code: 'host_key_unknown' } });
    expect(tested.error?.message).toContain(`${settings.fingerprint} (ssh-ed25519)`);
    await expect(box.run('true')).rejects.toMatchObject({
      code: 'host_key_unknown',
      data: { fingerprint: settings.fingerprint },
    });
    expect(signIns).toEqual([]);
  });

  test('that is another one is refused, and nothing is sent', async () => {
    const { settings, signIns } = await startSsh();
    const box = await openBox({ ...settings, fingerprint: fingerprintOf(makeKey().public) });
    await expect(box.run('true')).rejects.toMatchObject({ code: 'host_key_changed' });
    expect(signIns).toEqual([]);
  });

  test('of another type that the server has too is not the one that it shows', async () => {
    const otherKey = ssh2.utils.generateKeyPairSync('rsa', { bits: 2048 });
    const { settings, signIns } = await startSsh({ otherKey });
    const other = await openBox({ ...settings, fingerprint: fingerprintOf(otherKey.public) });
    await expect(other.run('true')).rejects.toMatchObject({
      code: 'host_key_changed',
      message: expect.stringContaining('another key of this server'),
    });
    expect(signIns).toEqual([]);
  });

  test('may be one of several, as ssh-keygen shows them', async () => {
    const { settings } = await startSsh();
    const line = (fingerprint: string): string => `256 ${fingerprint} root@host (ED25519)`;
    const fingerprint = [fingerprintOf(makeKey().public), settings.fingerprint].map(line).join('\n');
    const box = await openBox({ ...settings, fingerprint });
    expect(await box.connections.test('box')).toMatchObject({ ok: true });
  });

  test.each(['abc', 'MD5:16:27:ac:a5:76:28:2d:36:63:1b:56:4d:eb:df:a6:48', 'SHA256:short'])(
    'in another form is refused: %s',
    async (fingerprint) => {
      const settings = { host: 'a.example', user: 'ada', fingerprint };
      await expect(connectionBed().connections.put('box', { kind: 'ssh', settings })).rejects.toMatchObject({
        code: 'invalid_request',
      });
    },
  );
});

describe('a sign-in', () => {
  test('by a password, also where the server asks for it in a dialogue', async () => {
    for (const ways of [['password'], ['keyboard-interactive']] as const) {
      const { settings } = await startSsh({ ways });
      const box = await openBox(settings);
      expect(await box.connections.test('box')).toMatchObject({
        ok: true,
        about: 'SSH (ssh2js1.17.0), without SFTP',
      });
    }
  });

  test('by a key, with or without a passphrase, whose line breaks may be lost', async () => {
    const plain = makeKey();
    const locked = makeKey({ passphrase: 'sesame', cipher: 'aes256-ctr', rounds: 8 });
    for (const [pair, more] of [
      [plain, {}],
      [locked, { passphrase: 'sesame' }],
      [{ ...plain, private: plain.private.replaceAll('\n', ' ') }, {}],
    ] as const) {
      const { settings } = await startSsh({ ways: ['publickey'], key: pair.public });
      const box = await openBox({ ...settings, password: '', privateKey: pair.private, ...more });
      expect((await box.run('echo in')).stdout).toBe('in\n');
    }
  });

  test('that is refused says what the server takes, and not what it got', async () => {
    const { settings } = await startSsh({ ways: ['publickey', 'keyboard-interactive'] });
    const box = await openBox({ ...settings, password: 'the-wrong-password' });
    const { error } = await box.connections.test('box');
    expect(error?.code).toBe('connection_refused');
    expect(error?.message).toContain('It takes: publickey, keyboard-interactive.');
    expect(error?.message).not.toContain('the-wrong-password');
  });

  test('with a key that cannot be read says so', async () => {
    const { settings } = await startSsh({ ways: ['publickey'] });
    const locked = makeKey({ passphrase: 'sesame', cipher: 'aes256-ctr', rounds: 8 });
    for (const [privateKey, passphrase, text] of [
      ['no key', '', 'cannot be read'],
      [locked.private, '', 'no passphrase given'],
      [locked.private, 'wrong', 'cannot be read'],
    ] as const) {
      const box = await openBox({ ...settings, password: '', privateKey, passphrase });
      const { error } = await box.connections.test('box');
      expect(error).toMatchObject({ code: 'connection_refused', message: expect.stringContaining(text) });
    }
  });
});

test('a key is masked in what a command writes, however its lines are put', async () => {
  const key = makeKey({ passphrase: 'the-passphrase', cipher: 'aes256-ctr', rounds: 8 });
  const { settings } = await startSsh({ ways: ['publickey'], key: key.public });
  for (const privateKey of [key.private, key.private.trim().replaceAll('\n', ' ')]) {
    const secrets = { password: 'the-password', privateKey, passphrase: 'the-passphrase' };
    const box = await openBox({ ...settings, ...secrets });
    const { stdout } = await box.run(`cat <<'EOF'\n${key.private}\nEOF\n`);
    const lines = key.private.split('\n').filter((line) => /^[^-]{30}/.test(line));
    expect(lines.length).toBeGreaterThan(2);
    for (const text of [stdout.trim(), stdout.replaceAll('\n', '\r\n'), JSON.stringify({ stdout })])
      for (const line of lines) expect(box.redactor.text(text)).not.toContain(line);
    const shown = JSON.stringify([box.connections.list(), box.data()]);
    for (const line of [...lines, 'the-password', 'the-passphrase']) expect(shown).not.toContain(line);
  }
});

describe('a server', () => {
  test('that refuses commands, or says nothing of their ends', async () => {
    const refusing = await openBox((await startSsh({ refuses: true })).settings);
    await expect(refusing.run('true')).rejects.toMatchObject({ code: 'action_failed' });
    const terse = await openBox((await startSsh({ isTerse: true })).settings);
    expect(await terse.run('echo a; exit 4')).toEqual({
      stdout: 'a\n',
      stderr: '',
      code: null,
      signal: null,
    });
  });

  test('that ends the connection fails what is under way, and the next use opens another', async () => {
    const { settings, connections } = await startSsh();
    const box = await openBox(settings);
    expect((await box.run('echo 1')).stdout).toBe('1\n');
    const running = box.run('sleep 100');
    setTimeout(() => connections.forEach((one) => one.end()), 300);
    await expect(running).rejects.toMatchObject({ code: 'connection_failed' });
    expect((await box.run('echo 2')).stdout).toBe('2\n');
  });

  test('is used by several runs at once, up to `most` sessions', async () => {
    const { settings, connections } = await startSsh();
    const box = await openBox({ ...settings, most: 2 });
    const all = await Promise.all([1, 2, 3, 4].map((n) => box.run(`sleep 0.2; echo ${n}`)));
    expect(all.map(({ stdout }) => stdout)).toEqual(['1\n', '2\n', '3\n', '4\n']);
    expect(connections.size).toBe(2);
  });
});
