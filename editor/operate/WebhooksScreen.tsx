import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { RotateCw, Trash2, Webhook } from 'lucide-react';
import type { Catalog } from '#shared/catalog.ts';
import type { ListedHook } from '#shared/hook-api.ts';
import { forgetHook, listAllHooks, registerHook } from '../api/operate.ts';
import { ConnectionLink, Facts, FlowLink } from '../lists/links.tsx';
import type { BulkAct, Chosen, Hands, ListColumn, ListDefinition } from '../lists/list-model.ts';
import { ListScreen } from '../lists/ListScreen.tsx';
import { catalogQuery } from '../session/open-flow.ts';
import { useFlowNames } from '../session/use-flow-names.ts';
import { Badge } from '../ui/Badge.tsx';
import { CopyBlock } from '../ui/CopyBlock.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { HOOK_STATES } from '../ui/hook-state.ts';
import type { MenuEntry } from '../ui/menu-entry.ts';
import { Moment } from '../ui/Moment.tsx';

const route = getRouteApi('/webhooks');

/** Services send, and registrations change, while somebody looks. */
const LOOK_MS = 5000;

/** The registrations of triggers at services: their flow, their age, the last delivery, and their problems. */
export function WebhooksScreen() {
  const { service, connection } = route.useSearch();
  const { data: catalog } = useQuery(catalogQuery);
  const words = wordsOf(catalog, useFlowNames());
  const chosen: Chosen = {
    ...(service !== undefined && { Service: words.service(service) }),
    ...(connection !== undefined && { Connection: connection }),
  };
  return (
    <ListScreen
      // The name of the service is known with the catalog.
      key={JSON.stringify(chosen)}
      list={webhooksOf(words)}
      chosen={chosen}
      empty={
        <EmptyState
          icon={Webhook}
          title="No webhooks yet"
          steps={[
            'Open a flow and add a trigger that a service calls, such as an event of GitHub, Stripe or Telegram.',
            'Choose the connection, and what shall start runs.',
            'Publish the flow. The trigger registers itself at the service and appears here.',
          ]}
        >
          A webhook is an address of this server that a service calls when something happens there. Here you
          see which are registered, what came last, and what is wrong.
        </EmptyState>
      }
    />
  );
}

/** The words for what is listed by its id. */
interface Words {
  flow(id: string): string;
  service(id: string): string;
  operator(type: string): string;
}

function wordsOf(catalog: Catalog | undefined, flow: Words['flow']): Words {
  const titles = new Map(
    Object.values(catalog?.operators ?? {}).flatMap(({ group, service }) =>
      service === undefined ? [] : [[group, service.title] as const],
    ),
  );
  return {
    flow,
    service: (id) => titles.get(id) ?? id,
    operator: (type) => catalog?.operators[type]?.title ?? type,
  };
}

const stateOf = ({ state }: ListedHook): string => HOOK_STATES[state].text;

function webhooksOf(words: Words): ListDefinition<ListedHook> {
  return {
    title: 'Webhooks',
    noun: 'webhook',
    reads: 'webhooks',
    load: async (after) => {
      const { hooks, next } = await listAllHooks(after);
      return { items: hooks, next };
    },
    againMs: LOOK_MS,
    idOf: ({ id }) => id,
    nameOf: ({ flow, operator }) => `${words.operator(operator)}, ${words.flow(flow)}`,
    flowOf: ({ flow }) => flow,
    columns: columnsOf(words),
    filters: [
      { name: 'State', of: stateOf },
      { name: 'Service', of: ({ service }) => words.service(service) },
      { name: 'Flow', of: ({ flow }) => words.flow(flow) },
      { name: 'Connection', of: ({ connection }) => connection ?? 'none' },
    ],
    entries,
    bulk: BULK,
    details: (hook) => <Details hook={hook} words={words} />,
  };
}

const columnsOf = (words: Words): readonly ListColumn<ListedHook>[] => [
  {
    name: 'Webhook',
    text: ({ operator, service }) => `${words.service(service)}: ${words.operator(operator)}`,
    cell: ({ operator, service, flow }) => (
      <>
        <span className="max-sm:whitespace-normal">
          {words.service(service)}: {words.operator(operator)}
        </span>
        <bdi className="block text-xs font-normal text-text-2 sm:hidden">{words.flow(flow)}</bdi>
      </>
    ),
  },
  {
    name: 'Flow',
    className: 'w-44 max-sm:hidden',
    text: ({ flow }) => words.flow(flow),
    cell: ({ flow }) => <FlowLink id={flow} name={words.flow(flow)} />,
  },
  {
    name: 'Connection',
    className: 'w-36 max-2xl:hidden',
    text: ({ connection }) => connection ?? '',
  },
  {
    name: 'Registered',
    className: 'w-32 max-2xl:hidden',
    text: ({ since }) => since ?? '',
    cell: ({ since }) => <Moment at={since} otherwise="—" />,
  },
  {
    name: 'Last event',
    className: 'w-28 max-lg:hidden',
    text: ({ lastEventAt }) => lastEventAt ?? 'none yet',
    cell: ({ lastEventAt }) => <Moment at={lastEventAt} otherwise="none yet" />,
  },
  {
    name: 'State',
    className: 'w-44 max-sm:w-34',
    text: stateOf,
    cell: ({ state }) => {
      const { tone, icon, text } = HOOK_STATES[state];
      return (
        <Badge tone={tone} icon={icon} className="max-w-full overflow-hidden" title={text}>
          {text}
        </Badge>
      );
    },
  },
];

/** Whether its trigger can be told to register itself now. */
const isLive = ({ use, state }: ListedHook): boolean => use === 'live' && state !== 'elsewhere';

function entries(hook: ListedHook, hands: Hands): MenuEntry[] {
  const { flow, node, state, problem } = hook;
  if (state === 'elsewhere')
    return [
      { id: 'forget', label: 'Forget…', icon: Trash2, danger: true, onSelect: () => forget([hook], hands) },
    ];
  if (!isLive(hook)) return [];
  return [
    { id: 'again', label: 'Register again', icon: RotateCw, onSelect: () => again([hook], hands) },
    ...(problem?.code === 'hook_taken'
      ? [
          {
            id: 'take',
            label: 'Take over…',
            icon: RotateCw,
            onSelect: () =>
              hands.ask({
                title: 'Take the place of another server?',
                description: `${problem.message} The other server receives nothing from then on.`,
                action: 'Take over',
                work: () => registerHook(flow, node, true),
              }),
          },
        ]
      : []),
  ];
}

const BULK: readonly BulkAct<ListedHook>[] = [
  { label: 'Register again', run: (hooks, hands) => again(hooks.filter(isLive), hands) },
];

function again(hooks: readonly ListedHook[], hands: Hands): void {
  hands.act(async () => {
    for (const { flow, node } of hooks) await registerHook(flow, node, false);
  }, 'The service is asked again.');
}

function forget(hooks: readonly ListedHook[], hands: Hands): void {
  hands.ask({
    title: 'Forget this registration?',
    description:
      'It was made for another address of a server. The service goes on calling that address until you remove it there.',
    action: 'Forget',
    work: async () => {
      for (const { id } of hooks) await forgetHook(id);
    },
  });
}

const USES: Readonly<Record<ListedHook['use'], string>> = {
  live: 'The live flow',
  draft: 'A draft, while somebody listens',
  hand: 'An address that a person enters at the service',
};

function Details({ hook, words }: { hook: ListedHook; words: Words }) {
  const { problem, address, earlier, since, endsAt, lastEventAt, lastEvent, remote, at, connection } = hook;
  return (
    <>
      {problem && (
        <p className="mt-3 wrap-anywhere text-bad">
          {problem.message} <code className="font-mono text-xs">{problem.code}</code>
        </p>
      )}
      {earlier === true && <p className="mt-3">It starts runs until the new registration is there.</p>}
      <Facts
        facts={{
          Service: words.service(hook.service),
          Flow: <FlowLink id={hook.flow} name={words.flow(hook.flow)} />,
          Node: hook.node,
          ...(connection !== undefined && { Connection: <ConnectionLink name={connection} /> }),
          For: USES[hook.use],
          ...(at !== undefined && { 'Address of the server': at }),
          ...(since !== undefined && { Registered: timeText(since) }),
          ...(endsAt !== undefined && { 'Renewed before': timeText(endsAt) }),
          'Last event': lastEventText(lastEventAt, lastEvent),
          ...(remote !== undefined && remote !== '' && { 'Id at the service': remote }),
        }}
      />
      {address !== undefined && (
        <div className="mt-3">
          <CopyBlock title="Address to enter at the service" text={address} label="Copy the address" />
        </div>
      )}
    </>
  );
}

const timeText = (at: string): string => new Date(at).toLocaleString();

function lastEventText(at: string | undefined, event: string | undefined): string {
  if (at === undefined) return 'none yet';
  return event === undefined ? timeText(at) : `${timeText(at)} (${event})`;
}
