import type { Context } from '../context.ts';
import type { DescribedRoute } from './description.ts';
import { buildDocument } from './document.ts';
import type { DescribedTrigger } from './trigger-paths.ts';

/** The documents as text, each built once until a flow changes. */
export interface Documents {
  /** Only the platform. */
  platform(): Promise<string>;
  /** The platform and all live triggers. */
  all(): Promise<string>;
  /** The live triggers of one flow. */
  flow(id: string): Promise<string>;
}

export { describedRoutes } from './description.ts';

export function createDocuments(
  { config, flows, triggers }: Pick<Context, 'config' | 'flows' | 'triggers'>,
  routes: readonly DescribedRoute[],
): Documents {
  const { publicUrl, triggerOrigin, port } = config;
  let kept = new Map<string, string>();
  let keptFor = '';

  /** The cached documents; a flow that goes live, changes or stops clears them. */
  function upToDate(): Map<string, string> {
    const serving = flows.list().map(({ id, version }) => `${id} ${version}`);
    const now = serving.join('\n');
    if (now !== keptFor) kept = new Map();
    keptFor = now;
    return kept;
  }

  async function described(fits: (flow: string) => boolean): Promise<DescribedTrigger[]> {
    const found = triggers
      .all()
      .filter(({ flow }) => fits(flow.id))
      .sort((a, b) => (a.flow.id < b.flow.id ? -1 : a.flow.id > b.flow.id ? 1 : 0))
      .map(async (route) => ({ route, schemas: (await flows.schemas(route.flow.id))?.[route.node] }));
    return Promise.all(found);
  }

  async function document(
    key: string,
    own: readonly DescribedRoute[],
    fits: (flow: string) => boolean,
  ): Promise<string> {
    const texts = upToDate();
    const known = texts.get(key);
    if (known !== undefined) return known;
    const where = { publicUrl, triggerOrigin, port };
    const text = JSON.stringify(buildDocument({ ...where, routes: own, triggers: await described(fits) }));
    texts.set(key, text);
    return text;
  }

  return {
    platform: () => document('platform', routes, () => false),
    all: () => document('all', routes, () => true),
    flow: (id) => document(`flow ${id}`, [], (one) => one === id),
  };
}
