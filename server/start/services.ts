import type { Host, Registry, Services } from '#engine';
import { type Late, late } from '../base/parts/late.ts';
import { lazyService } from '../base/parts/lazy.ts';
import type { Base, Outside } from '../base/open-base.ts';
import type { Chat } from '../chat/open-chat.ts';
import type { Execution } from '../execution/open-execution.ts';
import type { RunStores } from '../execution/open-run-stores.ts';
import type { Integrations } from '../integrations/open-integrations.ts';
import type { Ground } from './ground.ts';

/** Wings that exist later than those that need them. */
export interface LateWings {
  readonly execution: Late<Execution>;
  readonly chat: Late<Chat>;
  readonly services: Late<Services>;
  readonly registry: Late<Registry>;
}

export function lateWings(): LateWings {
  return {
    execution: late('execution'),
    chat: late('chat'),
    services: late('services'),
    registry: late('registry'),
  };
}

/** The services that operators may use, from their wings. */
export function servicesOf({
  outside: { secrets, rates },
  integrations: { http, connections, data, files, folders, documents, code, knowledge },
  stores: { state, outputs, waiting, hooks },
  later: { execution, chat },
}: {
  readonly outside: Outside;
  readonly integrations: Integrations;
  readonly stores: RunStores;
  readonly later: Pick<LateWings, 'execution' | 'chat'>;
}): Services {
  return {
    http,
    secrets,
    rates,
    documents,
    outputs,
    ...(code && { code }),
    files,
    folders,
    state,
    waits: waiting.service,
    hooks: lazyService(
      async () => (await hooks()).service,
      ['open', 'registered', 'lost', 'failed', 'isOurs', 'pause'],
    ),
    sql: connections.sql,
    connections: connections.actions,
    data,
    knowledge: knowledge.service,
    get flows() {
      return execution.get().subFlows;
    },
    get agents() {
      return chat.get().agents;
    },
    get mcp() {
      return chat.get().mcp;
    },
    get models() {
      return chat.get().models;
    },
  };
}

/** The hosts of runs. */
export interface Hosts {
  readonly own: Host;
  /** With the clock that servers share. */
  readonly shared: Host;
}

export function hostsOf(
  { clock }: Base,
  { shared }: Ground,
  services: Services,
  later: Pick<LateWings, 'services'>,
): Hosts {
  later.services.fill(services);
  return { own: { ...clock, services }, shared: { ...shared, services } };
}
