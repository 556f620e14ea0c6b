import { WeftError } from '../base/errors.ts';
import { isAsyncFunction } from '../base/is-promise.ts';
import { type Call, notePackage, type Operator, type PackageLimits } from '../base/operator.ts';
import type { FileService, FolderService } from '../base/file-services.ts';
import type { Asker, HttpRequest, HttpService } from '../base/http-service.ts';
import type { ConnectionService, SecretService, Services } from '../base/services.ts';
import type { SourceCall } from '../base/source.ts';
import type { SqlService } from '../base/sql-service.ts';

/** They reach nothing outside the server. Secrets have grants of their own. */
const HARMLESS: ReadonlySet<string> = new Set<keyof Services>(['state', 'documents', 'rates', 'outputs']);

/**
 * Wraps an operator of a package.
 * Y1. It gets the services that its package has declared, of `http` only the declared hosts, redirects included, and of
 *     connections only the declared kinds. Its own call is always the asker, whomever it names.
 * Y2. It sees nothing of a call but what `Call` and `SourceCall` describe.
 */
export function limitedOperator(operator: Operator, limits: PackageLimits): Operator {
  const { run, listen } = operator;
  return {
    ...operator,
    package: limits.package,
    ...(typeof run === 'function' && {
      run: isAsyncFunction(run)
        ? async (call: Call) => run.call(operator, limitedCall(call, CALL, limits))
        : (call: Call) => run.call(operator, limitedCall(call, CALL, limits)),
    }),
    ...(typeof listen === 'function' && {
      listen: async (call: SourceCall) => listen.call(operator, limitedCall(call, SOURCE_CALL, limits)),
    }),
  };
}

const CALL: ReadonlySet<string | symbol> = new Set<keyof Call>([
  'params',
  'input',
  'inputs',
  'signal',
  'attempt',
  'idempotencyKey',
  'node',
  'trigger',
  'vars',
  'item',
  'index',
  'log',
  'sleep',
  'wait',
  'part',
  'respond',
  'now',
  'random',
  'asker',
]);
const SOURCE_CALL: ReadonlySet<string | symbol> = new Set<keyof SourceCall>([
  'params',
  'signal',
  'node',
  'vars',
  'asker',
  'cursor',
  'emit',
  'skip',
  'keep',
  'works',
  'log',
  'sleep',
  'now',
  'hash',
]);

function limitedCall<C extends Call | SourceCall>(
  call: C,
  shown: ReadonlySet<string | symbol>,
  limits: PackageLimits,
): C {
  const service = (name: keyof Services) => limitedService(call, name, limits);
  const seen = (name: string | symbol): unknown => {
    if (name === 'service') return service;
    if (!shown.has(name)) return undefined;
    const value: unknown = Reflect.get(call, name, call);
    return typeof value === 'function' ? (value.bind(call) as unknown) : value;
  };
  return new Proxy<C>(Object.freeze({}) as C, {
    get: (_, name) => seen(name),
    has: (_, name) => shown.has(name),
  });
}

/** Services that reach connections, whose kinds the server checks. */
const CONNECTED = new Map<keyof Services, (call: Call | SourceCall, limits: PackageLimits) => unknown>([
  ['sql', limitedSql],
  ['connections', limitedConnections],
]);

function limitedService(call: Call | SourceCall, name: keyof Services, limits: PackageLimits): unknown {
  if (name === 'http') return limitedHttp(call, limits);
  if (name === 'secrets') return limitedSecrets(call);
  const connected = limits.connections.length > 0 ? CONNECTED.get(name) : undefined;
  if (connected !== undefined) return connected(call, limits);
  if (name === 'files' && limits.services.includes(name)) return limitedFiles(call, limits);
  if (name === 'folders' && limits.services.includes(name)) return limitedFolders(call, limits);
  if (HARMLESS.has(name) || limits.services.includes(name)) return call.service(name);
  throw new WeftError(
    'package_not_declared',
    `The package ${limits.package} uses \`${name}\`, which it does not declare.`,
  );
}

/** Who asks: always the call itself. From now on the server knows the limits of its package. */
function askerOf({ asker }: Call | SourceCall, limits: PackageLimits): Asker {
  notePackage(asker, limits);
  return asker;
}

function limitedHttp(call: Call | SourceCall, limits: PackageLimits): HttpService {
  const { package: from, hosts, connections } = limits;
  const http = call.service('http');
  if (hosts.length === 0 && !['http', 'oauth2'].some((kind) => connections.includes(kind))) {
    throw new WeftError('package_not_declared', `The package ${from} sends requests, but declares no hosts.`);
  }
  return {
    send: async (request, _by, signal) =>
      http.send(limitedRequest(request, limits), askerOf(call, limits), signal),
  };
}

function limitedRequest(
  request: HttpRequest,
  { package: from, hosts, services }: PackageLimits,
): HttpRequest {
  if (holdsFile(request.body) && !services.includes('files'))
    throw new WeftError('package_not_declared', `The package ${from} sends a file, but declares no files.`);
  return { ...request, onlyHosts: { of: from, hosts } };
}

function limitedFiles(call: Call | SourceCall, limits: PackageLimits): FileService {
  const files = call.service('files');
  const by = askerOf(call, limits);
  return {
    find: (value) => files.find(value, by),
    open: (value, _by, range) => files.open(value, by, range),
    create: (file, _by, signal) => files.create(file, by, signal),
    download: async (request, _by, signal) => files.download(limitedRequest(request, limits), by, signal),
  };
}

function limitedFolders(call: Call | SourceCall, limits: PackageLimits): FolderService {
  const folders = call.service('folders');
  const by = askerOf(call, limits);
  return {
    read: (folder, path, _by, options) => folders.read(folder, path, by, options),
    write: (folder, path, file, options) => folders.write(folder, path, file, { ...options, by }),
    list: (folder, path, _by, options) => folders.list(folder, path, by, options),
    remove: (folder, path, _by, options) => folders.remove(folder, path, by, options),
  };
}

function limitedSql(call: Call | SourceCall, limits: PackageLimits): SqlService {
  const sql = call.service('sql');
  const by = askerOf(call, limits);
  return {
    query: (statement, _by, signal) => sql.query(statement, by, signal),
    stream: (statement, _by, signal) => sql.stream(statement, by, signal),
    execute: (statements, _by, signal) => sql.execute(statements, by, signal),
  };
}

function limitedConnections(call: Call | SourceCall, limits: PackageLimits): ConnectionService {
  const connections = call.service('connections');
  const by = askerOf(call, limits);
  return { ask: (asked, _by, signal) => connections.ask(asked, by, signal) };
}

function holdsFile(body: HttpRequest['body']): boolean {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return false;
  return body.some((piece) => typeof piece !== 'string' && !(piece instanceof Uint8Array));
}

function limitedSecrets(call: Call | SourceCall): SecretService {
  const secrets = call.service('secrets');
  return { reveal: (name, _by, url) => secrets.reveal(name, call.asker, url) };
}
