import { hash } from 'node:crypto';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { DurableEngine } from './port.ts';
import type { ReviveFlow } from '../starts/revive-flow.ts';

type Texts = Pick<DurableEngine, 'putText' | 'getText' | 'dropTexts'>;

interface Deps {
  readonly live: (id: string) => LiveFlow | undefined;
  readonly revive: ReviveFlow;
}

/** A text that runs share; it is stored unless it already is. */
export interface SharedText {
  readonly name: string;
  readonly make: () => string | Promise<string>;
}

/**
 * A stored text is stored again after this time, in milliseconds: servers that share their texts delete a text that no
 * run needs and no server stored for a day.
 */
const RELIED_MS = 3_600_000;
/** The most compiled flows that are kept although they are no longer live. */
const MAX_REVIVED = 50;
const MAX_READ = 20;
/** The prefix of the names of variables. */
const VARIABLES = 'vars:';

/**
 * The flows and variables of durable runs: each stored once, however many runs started with it.
 * FS1. Everything that an unfinished run, or a run about to start, needs is available. The rest is deleted in a
 *      clean-up.
 */
export class FlowSnapshots {
  private readonly texts: Texts;
  private readonly deps: Deps;
  /** Texts that are known to be stored, and since when. */
  private readonly kept = new Map<string, number>();
  /** The number of starts in progress that rely on a text. */
  private readonly held = new Map<string, number>();
  private readonly revived = new Map<string, LiveFlow>();
  /** Texts of variables, which most passes read. */
  private readonly read = new Map<string, string>();

  constructor(texts: Texts, deps: Deps) {
    this.texts = texts;
    this.deps = deps;
  }

  /** Protects the texts that a run needs until `start` has stored the run, which protects them from then on. */
  async holding<T>(needed: readonly SharedText[], start: () => Promise<T>): Promise<T> {
    for (const { name } of needed) this.held.set(name, (this.held.get(name) ?? 0) + 1);
    try {
      for (const text of needed) await this.keep(text);
      return await start();
    } finally {
      for (const { name } of needed) this.letGo(name);
    }
  }

  /** Deletes the texts that no run needs any more. */
  async tidy(): Promise<void> {
    // The engine handles both in order, so a start that needs a deleted text stores it again.
    this.kept.clear();
    await this.texts.dropTexts([...this.held.keys()]);
  }

  async flow(id: string, version: string): Promise<LiveFlow> {
    const live = this.deps.live(id);
    if (live?.version === version) return live;
    const name = flowTextName(id, version);
    const known = this.revived.get(name);
    if (known) return known;
    const flow = this.deps.revive(id, version, await this.text(name));
    if (this.revived.size >= MAX_REVIVED) this.revived.clear();
    this.revived.set(name, flow);
    return flow;
  }

  /** The variables of a version: the name is derived from the text, so a text that was read once stays valid. */
  async text(name: string): Promise<string> {
    const known = this.read.get(name);
    if (known !== undefined) return known;
    const text = await this.texts.getText(name);
    if (text === undefined) throw new ServiceError('storage_failed', `${name} of a durable run is missing.`);
    if (this.read.size >= MAX_READ) this.read.clear();
    if (name.startsWith(VARIABLES)) this.read.set(name, text);
    return text;
  }

  private async keep({ name, make }: SharedText): Promise<void> {
    const since = this.kept.get(name);
    if (since !== undefined && performance.now() - since < RELIED_MS) return;
    await this.texts.putText(name, await make());
    this.kept.set(name, performance.now());
  }

  private letGo(name: string): void {
    const left = (this.held.get(name) ?? 0) - 1;
    if (left > 0) this.held.set(name, left);
    else this.held.delete(name);
  }
}

/** The text of a flow in its version. */
export function flowText({ id, version, flow }: LiveFlow): SharedText {
  return { name: flowTextName(id, version), make: () => JSON.stringify(flow) };
}

/** The text of the variables, named by its content. */
export function variablesText(variables: object): SharedText {
  const text = JSON.stringify(variables);
  return { name: varsTextName(text), make: () => text };
}

/** The name under which a flow's text is stored. */
function flowTextName(id: string, version: string): string {
  return `flow:${id}:${version}`;
}

function varsTextName(text: string): string {
  return `${VARIABLES}${hash('sha256', text, 'hex').slice(0, 32)}`;
}
