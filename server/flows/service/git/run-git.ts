import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { devNull } from 'node:os';
import type { ErrorCode } from '#shared/errors.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import { createProxies, type ProxySettings } from '../../../base/outbound/proxy.ts';
import type { GitAddress } from '../../../base/config/git-address.ts';

/** One call of the `git` program. */
export interface GitCall {
  readonly cwd: string;
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds after which it is killed. */
  readonly timeoutMs?: number;
  /** Returns an error if the call has to end; called several times a second. */
  readonly check?: () => Promise<ServiceError | undefined>;
}

export interface GitResult {
  readonly code: number;
  readonly out: Buffer;
  readonly err: string;
}

export type RunGit = (args: readonly string[], call: GitCall) => Promise<GitResult>;

const LOCAL_MS = 30_000;
const MOST_OUTPUT = 64 * 1024 ** 2;
const CHECK_MS = 200;
/** The only variables of this server's environment that git gets: for programs, certificates and the ssh agent. */
const PASSED = /^(PATH|HOME|SSH_AUTH_SOCK|GIT_SSL_CA\w+|SSL_CERT_\w+)$/i;
/** Without a proxy of the server's settings, those of the environment hold for git, as for other programs of the owner. */
const PROXIES = /^(?:https?|no|all)_proxy$/i;

/** The repository and the way to it. */
export interface GitWay extends Pick<GitAddress, 'url' | 'protocol'> {
  /** The proxy of the server; undefined if it has none. Git hands it the name of the host. */
  readonly proxy?: ProxySettings | undefined;
}

/**
 * Calls git with settings of its own: those of the machine and of its users are ignored, no hook runs, no terminal is
 * prompted, and one protocol is allowed. Credentials travel in the environment: arguments and files are visible to others.
 */
export function createRunGit(
  { url, protocol, proxy }: GitWay,
  credentials: string | undefined,
  /** Ends all calls. */
  stop: AbortSignal,
): RunGit {
  const isHttp = protocol === 'https' || protocol === 'http';
  const settings: readonly (readonly [string, string])[] = [
    ['core.hooksPath', devNull],
    ['core.fsmonitor', 'false'],
    ['credential.helper', ''],
    ['protocol.allow', 'never'],
    [`protocol.${protocol}.allow`, 'always'],
    ['http.followRedirects', 'false'],
    ['transfer.fsckObjects', 'true'],
    ['fetch.unpackLimit', '1'],
    ['submodule.recurse', 'false'],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    ...(isHttp && proxy !== undefined
      ? [['http.proxy', proxyFor(url, proxy)] as const, ['http.proxyAuthMethod', 'basic'] as const]
      : []),
    ...(isHttp && credentials !== undefined
      ? [[`http.${new URL(url).origin}/.extraHeader`, basicAuth(credentials)] as const]
      : []),
  ];
  const own = {
    ...Object.fromEntries(
      Object.entries(process.env).filter(
        ([name]) => PASSED.test(name) || (proxy === undefined && PROXIES.test(name)),
      ),
    ),
    ...Object.fromEntries(
      settings.flatMap(([key, value], i) => [
        [`GIT_CONFIG_KEY_${i}`, key],
        [`GIT_CONFIG_VALUE_${i}`, value],
      ]),
    ),
    GIT_CONFIG_COUNT: String(settings.length),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ALLOW_PROTOCOL: protocol,
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_HTTP_LOW_SPEED_LIMIT: '1000',
    GIT_HTTP_LOW_SPEED_TIME: '60',
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o StrictHostKeyChecking=yes -o ConnectTimeout=15',
    LC_ALL: 'C',
  };
  return (args, call) => runGit(args, { ...call, env: { ...own, ...call.env } }, stop);
}

/** The proxy in the form of git, empty for none; names are looked up by the proxy. */
function proxyFor(url: string, settings: ProxySettings): string {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const proxy = createProxies(settings, 'proxy').for(
    host,
    Number(port) || (protocol === 'https:' ? 443 : 80),
    undefined,
  );
  if (proxy === undefined) return '';
  const [user, password] = [proxy.user, proxy.password].map(encodeURIComponent);
  const shown = proxy.shown.replace(/^socks5:/, 'socks5h:');
  return proxy.user === '' ? shown : shown.replace('://', `://${user}:${password}@`);
}

function basicAuth(credentials: string): string {
  return `Authorization: Basic ${Buffer.from(credentials).toString('base64')}`;
}

function runGit(
  args: readonly string[],
  { cwd, input, env, timeoutMs = LOCAL_MS, check }: GitCall,
  stop: AbortSignal,
) {
  return new Promise<GitResult>((resolve, reject) => {
    // A group of its own, because git starts further programs, which have to end with it.
    const child = spawn('git', args, { cwd, env: { ...env }, stdio: 'pipe', detached: true });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let size = 0;
    const end = (error: ServiceError): void => {
      reject(error);
      killGroup(child.pid);
    };
    const late = setTimeout(() => end(tooSlow(args, timeoutMs)), timeoutMs);
    const checking = check && setInterval(() => void check().then((why) => why && end(why), end), CHECK_MS);
    const stopped = (): void => end(new ServiceError('git_failed', 'The server stops.'));
    stop.addEventListener('abort', stopped, { once: true });
    if (stop.aborted) stopped();
    const settle = (): void => {
      stop.removeEventListener('abort', stopped);
      clearTimeout(late);
      clearInterval(checking);
    };
    const gather = (to: Buffer[]) => (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MOST_OUTPUT) to.push(chunk);
      else
        end(
          new ServiceError('git_too_large', `git ${args[0]} wrote more than ${MOST_OUTPUT / 1024 ** 2} MB.`),
        );
    };
    child.stdout.on('data', gather(out));
    child.stderr.on('data', gather(err));
    child.on('error', (error: NodeJS.ErrnoException) => {
      settle();
      // The missing file may be the folder.
      const isMissing = error.code === 'ENOENT' && existsSync(cwd);
      reject(new ServiceError(isMissing ? 'git_missing' : 'git_failed', startFailure(error)));
    });
    child.on('close', (code) => {
      settle();
      resolve({ code: code ?? -1, out: Buffer.concat(out), err: Buffer.concat(err).toString() });
    });
    // It may end before it has read everything; its exit code then explains it.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

function startFailure(error: NodeJS.ErrnoException): string {
  return `The program git cannot be started (${error.code ?? error.message}).`;
}

function tooSlow([command]: readonly string[], timeoutMs: number): ServiceError {
  return new ServiceError('git_unreachable', `git ${command} took longer than ${timeoutMs / 1000} seconds.`);
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** Messages of a failing git with their error codes, in the order of the search. */
const MEANINGS: readonly (readonly [RegExp, ErrorCode])[] = [
  [
    /could not read Username|Authentication failed|returned error: (401|403)|Permission denied|HTTP Basic: Access denied/i,
    'git_denied',
  ],
  [/Host key verification failed/i, 'git_denied'],
  [
    /repository .* not found|returned error: 404|does not appear to be a git repository|does not exist|not a git repository/i,
    'git_not_found',
  ],
  [/unable to update url base from redirection|redirect/i, 'git_not_found'],
  [
    /hasDotdot|hasDotgit|fsck error|badTree|bad object|error in object|index-pack failed|unpack-objects failed/i,
    'git_damaged',
  ],
  [
    /Could not resolve|Failed to connect|Connection (refused|reset|timed out)|unable to access|early EOF|hung up|Operation too slow|transport/i,
    'git_unreachable',
  ],
];

/** The error for a call that failed. */
export function gitError({ err }: Pick<GitResult, 'err'>): ServiceError {
  const [, code = 'git_failed' as const] = MEANINGS.find(([pattern]) => pattern.test(err)) ?? [];
  const lines = err.split('\n').filter((line) => /^(fatal|error|remote): ./.test(line));
  return new ServiceError(code, `git reports: ${(lines.at(0) ?? err).trim().slice(0, 300)}`);
}
