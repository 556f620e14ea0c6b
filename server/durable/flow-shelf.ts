import type { LiveFlow } from '../context.ts';
import { ServiceError } from '../errors.ts';
import type { DurableEngine } from './port.ts';
import { flowTextName, varsTextName } from './run-input.ts';

type Texts = Pick<DurableEngine, 'putText' | 'getText'>;

interface Parts {
  readonly live: (id: string) => LiveFlow | undefined;
  /** Makes a flow of its text, at the version that it had. */
  readonly revive: (id: string, version: string, text: string) => LiveFlow;
}

/** Flows that are kept ready though they are not live any more. */
const MAX_REVIVED = 50;

/** The flows and variables of durable runs: kept once each, however many runs began with them. */
export class FlowShelf {
  private readonly texts: Texts;
  private readonly parts: Parts;
  /** Texts that are known to be there. */
  private readonly kept = new Set<string>();
  private readonly revived = new Map<string, LiveFlow>();

  constructor(texts: Texts, parts: Parts) {
    this.texts = texts;
    this.parts = parts;
  }

  async keepFlow({ id, version, flow }: LiveFlow): Promise<void> {
    await this.keep(flowTextName(id, version), () => JSON.stringify(flow));
  }

  /** Gives the name under which they are found again. */
  async keepVariables(variables: object): Promise<string> {
    const text = JSON.stringify(variables);
    const name = varsTextName(text);
    await this.keep(name, () => text);
    return name;
  }

  async flow(id: string, version: string): Promise<LiveFlow> {
    const live = this.parts.live(id);
    if (live?.version === version) return live;
    const name = flowTextName(id, version);
    const known = this.revived.get(name);
    if (known) return known;
    const flow = this.parts.revive(id, version, await this.text(name));
    if (this.revived.size >= MAX_REVIVED) this.revived.clear();
    this.revived.set(name, flow);
    return flow;
  }

  async text(name: string): Promise<string> {
    const text = await this.texts.getText(name);
    if (text !== undefined) return text;
    throw new ServiceError('storage_failed', `${name} of a durable run is gone.`);
  }

  private async keep(name: string, make: () => string): Promise<void> {
    if (this.kept.has(name)) return;
    await this.texts.putText(name, make());
    this.kept.add(name);
  }
}
