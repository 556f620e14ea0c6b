import { parse } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import type { FlowService, LiveFlow } from '../../flows/service/flow-types.ts';
import { ServiceError } from '../../base/errors/errors.ts';

/** The most remembered drafts: their versions are stored nowhere else. */
const MAX_FLOWS = 200;

const shared = new WeakMap<KnownFlows['flows'], KnownFlows>();

/** Shared by all routes over these flows, so that a draft that one of them ran is known to the others. */
export function knownFlows(flows: KnownFlows['flows']): KnownFlows {
  const known = shared.get(flows) ?? new KnownFlows(flows);
  shared.set(flows, known);
  return known;
}

/** Flows in the versions that runs used. */
export class KnownFlows {
  private readonly flows: Pick<FlowService, 'versionText'>;
  private readonly recent = new Map<string, Flow>();

  constructor(flows: KnownFlows['flows']) {
    this.flows = flows;
  }

  /** Call it with each flow that is run by hand. */
  remember({ version, flow }: LiveFlow): void {
    this.recent.delete(version);
    this.recent.set(version, flow);
    const [oldest] = this.recent.keys();
    if (this.recent.size > MAX_FLOWS && oldest !== undefined) this.recent.delete(oldest);
  }

  async at(id: string, version: string): Promise<Flow | undefined> {
    const known = this.recent.get(version);
    if (known !== undefined) return known;
    try {
      return parse(await this.flows.versionText(id, version), { id }).flow;
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }
}
