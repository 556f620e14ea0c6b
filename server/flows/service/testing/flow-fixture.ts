import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type CompiledFlow, compiling, type Registry } from '#engine';
import type { Actor } from '#shared/audit.ts';
import type { Flow } from '#shared/flow.ts';
import { expressionTools } from '../../../base/adapters/expression-tools.ts';
import type { FlowService } from '../flow-types.ts';
import type { TriggerTable } from '../trigger-table.ts';
import type { VariableStore } from '../variable-store.ts';
import { loadOperators } from '../../../base/authored/load-operators.ts';
import { testBus } from '../../../storage/database/testing/bus.ts';
import { createTriggerTable } from '../../../api/triggers/table.ts';
import { createJudgeThread, type JudgeThread } from '../apart/judge-thread.ts';
import { createFlowService, type FlowServiceDeps } from '../flow-service.ts';

/** A user with an API key. */
export function actorNamed(name: string): Actor {
  return { kind: 'key', id: `key:${name}`, name };
}

/** A flow that answers with a text at a path; canonical, so that saving it changes no byte. */
export function helloFlow(id: string, options: { path?: string; says?: string } = {}): string {
  const { path = `/${id}`, says = 'Hello' } = options;
  return `{
  "format": 1,
  "id": ${JSON.stringify(id)},
  "nodes": {
    "handler": {
      "operator": "text.template",
      "params": {
        "template": ${JSON.stringify(says)}
      }
    },
    "trigger": {
      "operator": "trigger.http",
      "params": {
        "path": ${JSON.stringify(path)},
        "auth": "none"
      }
    }
  },
  "edges": [
    { "from": "trigger.out", "to": "handler.in" }
  ]
}
`;
}

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
}

/** A real service over real folders below a temporary one. */
export interface FlowFixture {
  readonly flows: string;
  readonly data: string;
  readonly service: FlowService;
  readonly triggers: TriggerTable;
  readonly log: LogLine[];
  path(name: string): string;
  write(name: string, text: string): void;
  read(name: string): string;
  has(name: string): boolean;
  /** Closes the service and starts another over the same folders. */
  restart(changes?: FixtureChanges): Promise<void>;
  /** Closes the service and removes the folders. */
  end(): Promise<void>;
}

export interface FixtureChanges {
  readonly config?: Partial<FlowServiceDeps['config']>;
  readonly variables?: Pick<VariableStore, 'snapshot'>;
  readonly compiling?: FlowServiceDeps['compiling'];
  readonly read?: FlowServiceDeps['read'];
  readonly secrets?: FlowServiceDeps['secrets'];
  /** Awaited while a large flow is being checked, when its text may already be beside its file. */
  readonly duringCheck?: (() => unknown) | undefined;
}

/** The thread that checks large flows, whose verdicts wait for `duringCheck`. */
async function delayedThread(duringCheck: () => unknown): Promise<JudgeThread> {
  const thread = createJudgeThread((await builtInRegistry()).catalog);
  return {
    ...thread,
    async judge(asked, around) {
      const found = await thread.judge(asked, around);
      await duringCheck();
      return found;
    },
  };
}

/** A compiler without pauses. */
export function compilingAtOnce(
  compile: (flow: Flow, version: string) => CompiledFlow,
): FlowServiceDeps['compiling'] {
  return function* (flow, version) {
    yield;
    return compile(flow, version);
  };
}

let registry: Promise<Registry> | undefined;

export function builtInRegistry(): Promise<Registry> {
  registry ??= loadOperators({ builtIn: true }).then((loaded) => loaded.registry);
  return registry;
}

/** `files`: content by name below the flows folder, written before the service starts. */
export async function flowFixture(
  files: Readonly<Record<string, string>> = {},
  changes: FixtureChanges = {},
): Promise<FlowFixture> {
  const root = mkdtempSync(join(tmpdir(), 'weft-flows-'));
  const flows = join(root, 'flows');
  const data = join(root, 'data');
  const log: LogLine[] = [];
  const path = (name: string) => join(flows, name);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  let started = await start({ flows, data, log }, changes);
  return {
    flows,
    data,
    log,
    path,
    write,
    read: (name) => readFileSync(path(name), 'utf8'),
    has: (name) => existsSync(path(name)),
    get service() {
      return started.service;
    },
    get triggers() {
      return started.triggers;
    },
    async restart(next = changes) {
      await started.service.close();
      started = await start({ flows, data, log }, next);
    },
    async end() {
      await started.service.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function start(
  { flows, data, log }: { flows: string; data: string; log: LogLine[] },
  changes: FixtureChanges,
): Promise<{ service: FlowService; triggers: TriggerTable }> {
  const triggers = createTriggerTable();
  const keep = (level: LogLine['level']) => (_what: unknown, message?: unknown) =>
    void log.push({ level, message: String(message) });
  const service = await createFlowService({
    bus: testBus(),
    config: { flows: [flows], data, editor: 'on', deploy: 'on-save', ...changes.config },
    log: { info: keep('info'), warn: keep('warn'), error: keep('error') },
    registry: await builtInRegistry(),
    triggers,
    variables: changes.variables ?? { snapshot: () => ({}) },
    compiling: changes.compiling ?? compiling,
    read: changes.read,
    secrets: changes.secrets,
    thread: changes.duringCheck && (await delayedThread(changes.duringCheck)),
    tools: expressionTools('UTC'),
    host: { now: Date.now },
  });
  return { service, triggers };
}
