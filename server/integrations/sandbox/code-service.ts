import type { CodeCall, CodeService, Services } from '#engine';
import { invalidCode } from './code-error.ts';
import { callFunction } from './function-call.ts';
import type { PreparedUnit } from './job.ts';
import { limits } from './limits.ts';
import { payloadOf } from './payload.ts';
import { HostPool } from './pool.ts';
import { type CodeKind, prepareCode, type PreparedCode } from './prepare.ts';
import { type Engine, localHost, type StartHost } from './spawn.ts';
import { CallCounts, type CodeStats } from './stats.ts';
import { callGenerator } from './stream-call.ts';

export interface CodeSandboxOptions {
  readonly engine: Engine;
  /** How hosts are started; if omitted, as children of this process. */
  readonly start?: StartHost;
  /** The most sandbox hosts at once; if omitted, the number of cores minus one. */
  readonly hosts?: number;
  /** The services that the code may use, looked up on each use. */
  readonly services: Services;
  warn(message: string): void;
}

export interface CodeSandbox extends CodeService {
  /** Process ids of the current hosts. */
  readonly pids: readonly number[];
  /** The engines that the current hosts run code in: `isolated-vm` or `quickjs`. */
  readonly engines: readonly string[];
  stats(): CodeStats;
  /** Ends the hosts; calls in progress fail. */
  close(): void;
}

/** How much code the sandbox knows, by the text of everything that matters; beyond this the oldest is forgotten. */
const MAX_UNITS = 5000;

/** Code that may read the last match of all code (`RegExp.$1`); no other call may run between the turns of one call. */
const LAST_MATCH = /RegExp|constructor/;

interface Unit extends PreparedUnit {
  readonly code: PreparedCode;
}

/** Runs the code of code nodes in separate processes, which are started with the first call. */
export function createCodeSandbox(options: CodeSandboxOptions): CodeSandbox {
  const { services } = options;
  const pool = new HostPool({
    engine: options.engine,
    start: options.start ?? localHost,
    ...(options.hosts !== undefined && { hosts: options.hosts }),
    warn: (message) => options.warn(message),
  });
  const units = createUnits();
  const counts = new CallCounts();
  const partsOf = (call: CodeCall, kind: CodeKind) => {
    try {
      const unit = units(call, kind);
      return { pool, services, unit, call, payload: payloadOf(unit.code, call), counts };
    } catch (error) {
      counts.begun();
      counts.failed(error);
      throw error;
    }
  };
  return {
    run(call) {
      try {
        return callFunction(partsOf(call, 'function'));
      } catch (error) {
        return Promise.reject(error as Error);
      }
    },
    stream: (call) => callGenerator(partsOf(call, 'generator')),
    get pids() {
      return pool.pids;
    },
    get engines() {
      return pool.engines;
    },
    stats: () => ({ calls: counts.calls, errors: counts.errors, ...pool.stats() }),
    close: () => pool.close(),
  };
}

/** Finds the prepared code of a call, or prepares it; throws `code_invalid`. */
function createUnits(): (call: CodeCall, kind: CodeKind) => Unit {
  const byObjects = [new WeakMap<CodeCall['code'], Unit>(), new WeakMap<CodeCall['code'], Unit>()] as const;
  const byText = new Map<string, Unit>();
  let lastId = 0;
  return (call, kind) => {
    const byObject = byObjects[call.simulated ? 1 : 0];
    const known = byObject.get(call.code);
    if (known) return known;
    const { flow, version, node } = call.context.asker;
    const key = JSON.stringify([flow, version, node, kind, call.code, call.simulated !== undefined]);
    const unit = byText.get(key) ?? makeUnit(++lastId, call, kind);
    byObject.set(call.code, unit);
    byText.set(key, unit);
    if (byText.size > MAX_UNITS) byText.delete(byText.keys().next().value as string);
    return unit;
  };
}

function makeUnit(id: number, { code: given, context, simulated }: CodeCall, kind: CodeKind): Unit {
  const prepared = prepareCode({ source: given.source, language: given.language, kind });
  if ('problem' in prepared) throw invalidCode(prepared.problem);
  const { code } = prepared;
  const { flow, version, node } = context.asker;
  const wallMs = given.maxMs ?? limits.wallMs;
  const definition = {
    id,
    realm: `${flow}\n${version}`,
    memoryMb: limits.memoryMb,
    cpuMs: given.cpuMs,
    wallMs,
    library: code.usesLibrary,
    isStream: kind === 'generator',
    mayShare: simulated === undefined && (code.mode === 'sync' || !LAST_MATCH.test(code.source)),
    guest: JSON.stringify({
      source: code.source,
      mode: code.mode,
      pure: given.pure,
      simulated: simulated !== undefined,
    }),
  };
  return { id, flow, node, definition: JSON.stringify(definition), cpuMs: given.cpuMs, wallMs, code };
}
