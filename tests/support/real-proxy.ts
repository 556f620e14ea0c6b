import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from '../services/proxy-suite.ts';
import { eventually } from './eventually.ts';
import { tempFolder } from './server.ts';

export const USER = 'ada';
export const PASSWORD = 'the-password-of-the-proxy';

/** A name that only the proxy knows, if it can be told names. */
export const OUTER_NAME = 'outer.weft-tests.org';

/** An address of this machine that a proxy reaches and that is not loopback; undefined if it has none. */
export const ownAddress: string | undefined = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

interface Program {
  readonly protocol: 'http' | 'socks5';
  /** The command, with what it needs in the folder; ways to `open` are allowed, to other ports they are not. */
  command(place: {
    readonly folder: string;
    readonly port: number;
    readonly open: readonly number[];
  }): readonly string[];
}

/** The proxies of Debian that the tests know. Each asks for a user and a password. */
export const programs = {
  tinyproxy: {
    protocol: 'http',
    command({ folder, port, open }) {
      const config = join(folder, 'tinyproxy.conf');
      const lines = [
        `Port ${port}`,
        'Listen 127.0.0.1',
        'Timeout 60',
        'Allow 127.0.0.1',
        `BasicAuth ${USER} ${PASSWORD}`,
        ...open.map((one) => `ConnectPort ${one}`),
      ];
      writeFileSync(config, `${lines.join('\n')}\n`);
      return ['tinyproxy', '-d', '-c', config];
    },
  },
  squid: {
    protocol: 'http',
    command({ folder, port, open }) {
      const [config, hosts] = [join(folder, 'squid.conf'), join(folder, 'hosts')];
      // It asks a program for each user and password; this one is a line of shell.
      const asks = join(folder, 'asks.sh');
      writeFileSync(
        asks,
        `#!/bin/sh\nwhile read -r user password; do if [ "$user $password" = "${USER} ${PASSWORD}" ]; then echo OK; else echo ERR; fi; done\n`,
      );
      chmodSync(asks, 0o755);
      writeFileSync(hosts, `${ownAddress} ${OUTER_NAME}\n`);
      const lines = [
        `http_port 127.0.0.1:${port}`,
        `pid_filename ${folder}/pid`,
        `cache_log ${folder}/cache.log`,
        'access_log none',
        'cache deny all',
        'shutdown_lifetime 0 seconds',
        `hosts_file ${hosts}`,
        `auth_param basic program ${asks}`,
        'auth_param basic realm tests',
        'acl known proxy_auth REQUIRED',
        `acl open port ${open.join(' ')}`,
        'http_access deny CONNECT !open',
        'http_access allow known',
        'http_access deny all',
      ];
      writeFileSync(config, `${lines.join('\n')}\n`);
      return ['squid', '-N', '-f', config];
    },
  },
  microsocks: {
    protocol: 'socks5',
    command: ({ port }) => ['microsocks', '-i', '127.0.0.1', '-p', String(port), '-u', USER, '-P', PASSWORD],
  },
} satisfies Record<string, Program>;

export type RealProxyName = keyof typeof programs;

/** Starts one of them; it ends with the test. Returns its address in the form of WEFT_PROXY. */
export async function startRealProxy(name: RealProxyName, open: readonly number[]): Promise<string> {
  const folder = tempFolder(name);
  // Some give up their rights.
  chmodSync(folder, 0o777);
  const port = await freePort();
  const { protocol, command }: Program = programs[name];
  const [program = '', ...args] = command({ folder, port, open });
  const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };
  const running = spawn(program, args, { stdio: 'ignore', env });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        if (running.exitCode !== null) return resolve();
        running.once('exit', () => resolve());
        running.kill('SIGKILL');
      }),
  );
  await eventually(async () => {
    if (!(await listens(port))) throw new Error(`${name} does not listen yet.`);
  });
  return `${protocol}://127.0.0.1:${port}`;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
