import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { buildEditor } from '../editor/support/build.ts';
import { eventually } from '../support/eventually.ts';
import { type FlowJson, flowText, httpTrigger, sayFlow } from '../support/flows.ts';
import { installPackage } from '../support/install-package.ts';
import { type Program, type ProgramSetup, runProgram, startProgram } from '../support/process.ts';
import { root, tempFolder } from '../support/server.ts';
import { deployed } from './proxy-suite.ts';

/**
 * The last stage of docs/deploy/Dockerfile, carried out in a mount namespace over the system of this machine, where Docker is not: its
 * commands run, its users exist, its file system is read-only, and both programs of compose.yaml run in it without capabilities.
 */
const folder = tempFolder('image');
const server = { uid: 10001, gid: 10001 };
const sandbox = { uid: 10002, gid: 10001, at: '/run/weft' };
const environment = {
  WEFT_CODE_HOST: 'unix:/run/weft/code.sock',
  WEFT_ADMIN_PASSWORD: 'correct horse',
  WEFT_PACKAGES: 'weft-sample',
};

/** An instruction of the last stage, such as RUN, with its text. */
type Instruction = readonly [name: string, text: string];
const stage = lastStage(deployed('Dockerfile'));
const inImage = join(folder, 'root');
/** Holds the namespace. */
let machine: Program;
let weft: Program;
let code: Program;

beforeAll(async () => {
  await buildEditor();
  installPackage(join(folder, 'install'));
  // Like `COPY weft-sample /opt/weft/node_modules/weft-sample` of an image that somebody makes of this one.
  cpSync(join(root, 'docs/examples/weft-sample'), join(folder, 'install/node_modules/weft-sample'), {
    recursive: true,
  });
  machine = startProgram('unshare', ['--mount', '--net', 'sh', '-euc', buildScript()], { timeout: 600_000 });
  await machine.prints(/built/);
  code = startSandbox();
  weft = startServer();
  await isReady();
});
afterAll(() => {
  for (const { child } of [weft, code, machine]) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

// ------------------------------------------------------------------------------------------------------- the image

function lastStage(dockerfile: string): Instruction[] {
  const lines = dockerfile
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const from = lines.findLastIndex((line) => line.startsWith('FROM '));
  return lines.slice(from + 1).map((line) => {
    const [, name = '', text = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
    return [name, text];
  });
}

function textOf(wanted: string): string {
  const found = stage.find(([name]) => name === wanted);
  if (found === undefined) throw new Error(`The last stage of the Dockerfile has no ${wanted}.`);
  return found[1];
}

/**
 * What `docker build` and `docker run --read-only` do with the stage, over a copy of this machine's system without the checkout.
 * A command a line, so that the first one that fails ends it.
 */
function buildScript(): string {
  const commands = stage.map(([name, text]) => {
    if (name === 'RUN') return `chroot . sh -euc ${quoted(text)}`;
    if (name === 'WORKDIR') return `mkdir -p .${text}`;
    if (name !== 'COPY') return '';
    const [, from = '', to = ''] = /^--from=install (\S+) (\S+)$/.exec(text) ?? [];
    return [`test ${to} = ${from}`, `cp -a ${quoted(join(folder, 'install'))} .${to}`].join('\n');
  });
  return `
    mount --make-rprivate /
    ip link set lo up
    mkdir -p ${quoted(inImage)}
    mount -t tmpfs tmpfs ${quoted(inImage)}
    cd ${quoted(inImage)}
    mkdir up work whole
    mount -t overlay overlay -o lowerdir=/,upperdir=$PWD/up,workdir=$PWD/work whole
    cd whole
    mount --bind /dev dev
    mount -t proc proc proc
    for used in ${quoted(`.${root}`)} ./opt/weft ./weft ./run/weft; do rm -rf "$used"; done
    rm -rf usr/local/bin/node
    cp ${quoted(process.execPath)} usr/local/bin/node
    ${commands.filter((command) => command !== '').join('\n    ')}
    mkdir -p volume/weft volume/code
    cp -a weft volume/
    cp -a run/weft/. volume/code
    chown --reference=run/weft volume/code
    chmod --reference=run/weft volume/code
    mount --bind volume/weft weft
    mount --bind volume/code run/weft
    mount -t tmpfs tmpfs tmp
    chmod 1777 tmp
    mount -o remount,bind,ro .
    echo built
    exec sleep infinity`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

interface Contained {
  readonly uid: number;
  readonly gid: number;
  /** Where it starts, if not where the image says. */
  readonly at?: string;
  /** Alone, without the network of the other container. */
  readonly isCutOff?: boolean;
}

/** How `docker run` starts a program of the image with `--cap-drop ALL` and `no-new-privileges`. */
function contained(
  { uid, gid, at = textOf('WORKDIR'), isCutOff = false }: Contained,
  command: readonly string[],
): string[] {
  const enter = ['nsenter', '--mount', '--net', '--target', String(machine.child.pid)];
  const apart = isCutOff ? ['unshare', '--net'] : [];
  const drop = ['--clear-groups', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'];
  const user = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, ...drop];
  const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const path = textOf('ENV').replace('$PATH', '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin');
  const place = ['env', '-i', '--chdir', at, ...path.split(' '), ...settings, ...command];
  return [...enter, ...apart, 'chroot', join(inImage, 'whole'), ...user, ...place];
}

const words = (json: string): string[] => JSON.parse(json) as string[];

function start(who: Contained, command: readonly string[]): Program {
  const [program = '', ...args] = contained(who, command);
  return startProgram(program, args, { timeout: 600_000 });
}

const startServer = (): Program => start(server, words(textOf('CMD')));

function startSandbox(): Program {
  const compose = deployed('compose.yaml');
  const [, command = ''] = /\n {4}command: \[(.*)\]/.exec(compose) ?? [];
  expect(compose).toContain(`working_dir: ${sandbox.at}`);
  return start({ ...sandbox, isCutOff: true }, command.split(', '));
}

async function run(who: Contained, command: readonly string[], setup?: ProgramSetup) {
  const [program = '', ...args] = contained(who, command);
  return runProgram(program, args, setup);
}

/** Calls the server from inside, where its address is. */
async function ask(path: string): Promise<unknown> {
  const source = `fetch('http://127.0.0.1:5670' + process.argv[1]).then(async (answer) =>
    console.log(JSON.stringify({ status: answer.status, body: await answer.json() })))`;
  const { stdout, stderr } = await run(server, ['node', '-e', source, path]);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Saves a flow as its author would who has the folder open. */
const save = (flow: FlowJson) =>
  run(server, ['sh', '-c', 'printf %s "$1" > "flows/$2.json"', 'sh', flowText(flow), flow.id]);

const healthCheck = () => run(server, words(/ CMD (\[.*\])$/.exec(textOf('HEALTHCHECK'))?.[1] ?? '[]'));
/** Or throws what the server said when it ended. */
async function isReady(): Promise<void> {
  const died = weft.ended.then(({ stdout, stderr }) => Promise.reject(new Error(stdout + stderr)));
  died.catch(() => {});
  await Promise.race([died, eventually(async () => expect((await healthCheck()).code).toBe(0))]);
}
const trigger = '/api/v1/awel/trigger';

// ------------------------------------------------------------------------------------------------------- its tests

test('the server is ready, says so to the health check, and answers', async () => {
  expect(await healthCheck()).toMatchObject({ code: 0 });
  await save(sayFlow('hello', 'Hello'));
  await eventually(async () =>
    expect(await ask(`${trigger}/hello`)).toMatchObject({ status: 200, body: 'Hello' }),
  );
});

test.each([
  ['server', () => weft, server],
  ['sandbox', () => code, sandbox],
] as const)('the %s has its own user, no capabilities and no way to new ones', (_, program, { uid, gid }) => {
  const status = execFileSync('cat', [`/proc/${program().child.pid}/status`], { encoding: 'utf8' });
  const found = (name: string): string | undefined => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1];
  expect(found('Uid')).toBe(Array(4).fill(uid).join('\t'));
  expect(found('Gid')).toBe(Array(4).fill(gid).join('\t'));
  expect(['CapEff', 'CapPrm', 'CapBnd'].map(found)).toEqual(Array(3).fill('0000000000000000'));
  expect(found('NoNewPrivs')).toBe('1');
});

test.each([
  ['server', server, ['/weft', '/run/weft', '/tmp']],
  ['sandbox', sandbox, ['/run/weft', '/tmp']],
] as const)('the %s writes only where it may', async (_, who, wanted) => {
  const places = ['/', '/opt/weft', '/opt/weft/node_modules', '/etc', '/usr/local/bin', '/var', '/home'];
  const script = `for place in ${[...places, '/weft', '/run/weft', '/tmp'].join(' ')}; do touch $place/x 2>/dev/null && rm $place/x && echo $place; done; true`;
  const { stdout } = await run(who, ['sh', '-c', script]);
  expect(stdout.trim().split('\n')).toEqual(wanted);
});

test('the sandbox neither reads what the server keeps nor has a network', async () => {
  const { stdout } = await run(sandbox, ['sh', '-c', 'ls /weft 2>&1 >/dev/null; true']);
  expect(stdout).toContain('Permission denied');
  const interfaces = execFileSync('cat', [`/proc/${code.child.pid}/net/dev`], { encoding: 'utf8' });
  expect([...interfaces.matchAll(/^\s*(\w+):\s*(\d+)/gm)].map(([, name, bytes]) => [name, bytes])).toEqual([
    ['lo', '0'],
  ]);
});

const twice = () => ask(`${trigger}/twice?n=21`);

test('a code node runs in the sandbox, and is told when that is away and when it is back', async () => {
  await save({
    format: 1,
    id: 'twice',
    nodes: {
      trigger: httpTrigger('/twice'),
      code: { operator: 'code.run', params: { source: 'return 2 * Number((input as { n: string }).n);' } },
    },
    edges: [{ from: 'trigger.out', to: 'code.in' }],
  });
  await eventually(async () => expect(await twice()).toMatchObject({ status: 200, body: 42 }));
  code.child.kill('SIGKILL');
  await code.ended;
  await eventually(async () =>
    expect(await twice()).toMatchObject({
      body: { err_code: expect.stringMatching(/^code_(?:unavailable|crashed)$/) },
    }),
  );
  code = startSandbox();
  await eventually(async () => expect(await twice()).toMatchObject({ status: 200, body: 42 }));
});

test('a package beside Weft is loaded, and its operators run', async () => {
  const { stdout } = await run(server, ['weft', 'packages', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ packages: [{ name: 'weft-sample', problems: [] }] });
  await save({
    format: 1,
    id: 'initials',
    nodes: {
      trigger: httpTrigger('/initials'),
      name: { operator: 'core.map', params: { value: '{{ input.name }}' } },
      short: { operator: 'sample.initials' },
    },
    edges: [
      { from: 'trigger.out', to: 'name.in' },
      { from: 'name.out', to: 'short.in' },
    ],
  });
  await eventually(async () =>
    expect(await ask(`${trigger}/initials?name=Ada+Lovelace`)).toMatchObject({ status: 200, body: 'AL' }),
  );
});

test('SIGTERM ends the server, and what was in its volume is there for the next one', async () => {
  weft.child.kill('SIGTERM');
  expect(await weft.ended).toMatchObject({ code: 0 });
  expect((await healthCheck()).code).not.toBe(0);
  weft = startServer();
  await isReady();
  expect(await ask(`${trigger}/hello`)).toMatchObject({ status: 200, body: 'Hello' });
});
